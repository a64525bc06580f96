import { useEffect, useRef } from "preact/hooks";
import { toInstant } from "../dates.ts";

const dayMs = 86_400_000;

/** A dialog in which the reader chooses an instant. */
export function InstantDialog({
  title,
  base,
  choose,
  close,
}: {
  title: string;
  /** The instant to which the suggestions refer; undefined for the current time. */
  base: string | undefined;
  choose: (at: string | undefined) => void;
  close: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const time = base === undefined ? Date.now() : Date.parse(base);
  const done = (at: string | undefined) => {
    choose(at);
    dialog.current?.close();
  };
  const before = (days: number) => () =>
    done(toInstant(Math.floor((time - days * dayMs) / 60_000) * 60_000));
  const [date = "", clock = ""] = new Date(time).toISOString().split("T");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) {
      const fields = new FormData(event.currentTarget);
      done(toInstant(`${fields.get("date")}T${fields.get("time")}Z`));
    }
  };
  return (
    <dialog ref={dialog} class="card" onClose={close} aria-labelledby="instant-title">
      <h2 id="instant-title">{title}</h2>
      <div class="choices">
        {base !== undefined && (
          <button type="button" onClick={() => done(undefined)}>
            Now
          </button>
        )}
        <button type="button" onClick={before(1)}>
          A day before
        </button>
        <button type="button" onClick={before(7)}>
          A week before
        </button>
        <button type="button" onClick={before(30)}>
          30 days before
        </button>
        <button type="button" onClick={before(365)}>
          A year before
        </button>
      </div>
      <form onSubmit={submit}>
        <label>
          Date
          <input type="date" name="date" required defaultValue={date} />
        </label>
        <label>
          Time (UTC)
          <input type="time" name="time" required defaultValue={clock.slice(0, 5)} />
        </label>
        <div class="buttons">
          <button type="submit" class="primary">
            Choose
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
