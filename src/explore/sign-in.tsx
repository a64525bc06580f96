import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { key, rejection } from "./api.ts";
import { caller, session, signIn } from "./session.ts";

/** The sign-in dialog. It is shown over the page, so the URL does not change. */
export function SignIn() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isSent = useSignal(false);
  const isNeeded =
    key.value === undefined ||
    rejection.value !== undefined ||
    (isSent.value && session.value === undefined);
  useEffect(() => {
    if (isNeeded && !dialog.current?.open) {
      dialog.current?.showModal();
    } else if (!isNeeded) {
      dialog.current?.close();
      isSent.value = false;
    }
  }, [isNeeded]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) {
      const fields = new FormData(event.currentTarget);
      isSent.value = true;
      signIn(String(fields.get("key")).trim(), fields.get("keep") === "on");
    }
  };
  const isChecking = isSent.value && caller.isLoading.value;
  return (
    <dialog
      ref={dialog}
      class="card sign-in"
      aria-labelledby="sign-in-title"
      onCancel={(event) => event.preventDefault()}
    >
      <form onSubmit={submit}>
        <img src="/docs/icon.svg" alt="" width="32" height="32" />
        <h2 id="sign-in-title">See your network at any instant</h2>
        <p>Sign in with an API key. It stays in this page and is sent only to this service.</p>
        <label>
          API key
          <input
            type="password"
            name="key"
            required
            autocomplete="off"
            spellcheck={false}
            placeholder="inv_u_…"
            aria-describedby="sign-in-problem"
            aria-invalid={rejection.value !== undefined}
          />
        </label>
        <label class="check">
          <input type="checkbox" name="keep" /> Keep for this tab
        </label>
        <p id="sign-in-problem" class="error" role="alert">
          {rejection.value}
        </p>
        <div class="buttons">
          <button type="submit" class="primary" disabled={isChecking}>
            {isChecking ? "Signing in…" : "Sign in"}
          </button>
        </div>
      </form>
    </dialog>
  );
}
