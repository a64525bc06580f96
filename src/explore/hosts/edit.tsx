import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Host, hosts, Problem, read } from "../api.ts";
import { ago } from "../dates.ts";
import { announcement, revision } from "../state.ts";

interface Draft {
  name: string;
  description: string;
}

interface Theirs extends Draft {
  etag: string;
  /** The author and the time of the other save, if known from the timeline. */
  by: string;
}

const draftOf = ({ name, description }: Host): Draft => ({ name, description: description ?? "" });

async function readHost(id: string): Promise<{ draft: Draft; etag: string }> {
  const { data, etag } = await read(hosts[":id"].$get({ param: { id } }));
  return { draft: draftOf(data), etag: etag ?? "" };
}

async function readTheirs(id: string): Promise<Theirs> {
  const query = { limit: "1", include_children: "false" } as const;
  const [{ draft, etag }, timeline] = await Promise.all([
    readHost(id),
    read(hosts[":id"].timeline.$get({ param: { id }, query })),
  ]);
  const [last] = timeline.data;
  const by = last === undefined ? "" : [last.actor.name, ago(last.at)].filter(Boolean).join(", ");
  return { ...draft, etag, by };
}

/** The fields that differ from their values when editing began. */
const changesOf = (mine: Draft, base: Draft): Partial<Draft> => ({
  ...(mine.name !== base.name && { name: mine.name }),
  ...(mine.description !== base.description && { description: mine.description }),
});

/** The conflicting versions of the fields, side by side. */
function Conflict({
  mine,
  theirs,
  keep,
  take,
  isSaving,
}: {
  mine: Partial<Draft>;
  theirs: Theirs;
  keep: () => void;
  take: () => void;
  isSaving: boolean;
}) {
  const fields = [
    ["Name", mine.name, theirs.name],
    ["Description", mine.description, theirs.description],
  ] as const;
  return (
    <section class="conflict" aria-labelledby="conflict-title">
      <h3 id="conflict-title" tabIndex={-1}>
        Somebody else has saved this host
      </h3>
      <p>Nothing was overwritten. Choose the values that stay.</p>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">Mine</th>
            <th scope="col">Theirs{theirs.by && <small>{theirs.by}</small>}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(([name, ofMe, ofThem]) => (
            <tr key={name} class={ofMe === undefined || ofMe === ofThem ? "" : "unlike"}>
              <th scope="row">{name}</th>
              <td>{ofMe === undefined ? <i>not changed</i> : ofMe || <i>empty</i>}</td>
              <td>{ofThem || <i>empty</i>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="buttons">
        <button type="button" class="primary" disabled={isSaving} onClick={keep}>
          Keep mine
        </button>
        <button type="button" disabled={isSaving} onClick={take}>
          Take theirs
        </button>
      </div>
    </section>
  );
}

/**
 * The form for editing a host's name and description. It does not overwrite anyone else's changes.
 */
export function Edit({ id, close }: { id: string; close: () => void }) {
  const base = useSignal<{ draft: Draft; etag: string } | undefined>(undefined);
  const mine = useSignal<Draft>({ name: "", description: "" });
  const theirs = useSignal<Theirs | undefined>(undefined);
  const error = useSignal("");
  const isSaving = useSignal(false);
  const field = useRef<HTMLInputElement>(null);

  const attempt = async (failed: string, action: () => Promise<void>) => {
    error.value = "";
    isSaving.value = true;
    try {
      await action();
    } catch (failure) {
      if (!(failure instanceof Problem)) {
        throw failure;
      }
      if (failure.code === "precondition_failed") {
        theirs.value = await readTheirs(id).catch(() => undefined);
        announcement.value = "Somebody else has saved this host. Choose the values that stay.";
        document.getElementById("conflict-title")?.focus();
      } else {
        error.value = `${failed} ${failure.message}`;
      }
    }
    isSaving.value = false;
  };

  useEffect(() => {
    attempt("The host cannot be edited.", async () => {
      base.value = await readHost(id);
      mine.value = base.value.draft;
    });
  }, [id]);

  const isReady = base.value !== undefined;
  useEffect(() => field.current?.focus(), [isReady]);

  const save = (draft: Draft, etag: string) =>
    attempt("Not saved.", async () => {
      const { name, description } = changesOf(mine.value, draft);
      await read(
        hosts[":id"].$patch({
          param: { id },
          header: { "if-match": etag },
          json: {
            ...(name !== undefined && { name: name.trim() }),
            ...(description !== undefined && { description: description.trim() || null }),
          },
        }),
      );
      revision.value++;
      announcement.value = "Saved.";
      close();
    });

  if (base.value === undefined) {
    return (
      <div class="edit">
        {error.value ? (
          <p class="error" role="alert">
            {error.value}
          </p>
        ) : (
          <p>Loading…</p>
        )}
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    );
  }
  const { draft, etag } = base.value;
  if (theirs.value) {
    const { etag: newer } = theirs.value;
    return (
      <Conflict
        mine={changesOf(mine.value, draft)}
        theirs={theirs.value}
        isSaving={isSaving.value}
        keep={() => save(draft, newer)}
        take={() => {
          revision.value++;
          announcement.value = "Their values stay.";
          close();
        }}
      />
    );
  }
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        save(draft, etag);
      }}
    >
      <label>
        Name
        <input
          name="name"
          required
          maxLength={255}
          value={mine.value.name}
          ref={field}
          onInput={(event) => {
            mine.value = { ...mine.value, name: event.currentTarget.value };
          }}
        />
      </label>
      <label>
        Description
        <textarea
          name="description"
          rows={3}
          maxLength={500}
          value={mine.value.description}
          onInput={(event) => {
            mine.value = { ...mine.value, description: event.currentTarget.value };
          }}
        />
      </label>
      <p class="error" role="alert">
        {error.value}
      </p>
      <div class="buttons">
        <button type="submit" class="primary" disabled={isSaving.value}>
          {isSaving.value ? "Saving…" : "Save"}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}
