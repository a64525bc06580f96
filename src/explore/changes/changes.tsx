import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Change, Problem } from "../api.ts";
import { clock, day } from "../dates.ts";
import { Link } from "../link.tsx";
import { Failure } from "../problems.tsx";
import { networkName } from "../session.ts";
import { place, range } from "../state.ts";
import { feed, readWindow, type Window } from "./feed.ts";
import { Rows } from "./rows.tsx";
import { actorOf } from "./sentence.ts";

/** The heading above the changes to one host, or to a network's subnets. */
export function Whose({
  host,
  name,
  network,
}: {
  host: string | null;
  name: string;
  network: string;
}) {
  return (
    <h3 class="whose">
      {host === null ? "Subnets" : <Link to={{ host }}>{name}</Link>}
      <span class="soft"> {networkName(network)}</span>
    </h3>
  );
}

/** Number of a transaction's hosts that are shown initially. */
const hostsAtOnce = 10;

/** The changes of one transaction, grouped by host. */
function Transaction({ records }: { records: Change[] }) {
  const shown = useSignal(hostsAtOnce);
  const [first] = records;
  if (first === undefined) {
    return null;
  }
  const actor = actorOf(first);
  const hosts = [...Map.groupBy(records, ({ host_id, network_id }) => host_id ?? network_id)];
  return (
    <li class="transaction">
      <p class="when">
        <Link to={{ at: first.at, view: "hosts" }} title="Show the network at this instant">
          {clock(first.at)}
        </Link>
        {actor && <span class="soft">by {actor}</span>}
      </p>
      <div>
        {hosts.slice(0, shown.value).map(([id, ofHost]) => (
          <section key={id}>
            <Whose
              host={ofHost[0]?.host_id ?? null}
              name={ofHost[0]?.host_label ?? ""}
              network={ofHost[0]?.network_id ?? ""}
            />
            <Rows records={ofHost} />
          </section>
        ))}
        {hosts.length > shown.value && (
          <button
            type="button"
            onClick={() => {
              shown.value = hosts.length;
            }}
          >
            {hosts.length - shown.value} more hosts
          </button>
        )}
      </div>
    </li>
  );
}

export function Changes() {
  const older = useSignal<Window[]>([]);
  const loaded = feed.loaded.value;
  useEffect(() => {
    older.value = [];
  }, [loaded]);
  const windows = loaded === undefined ? [] : [loaded.data, ...older.value];
  const records = windows.flatMap((window) => window.changes);
  if (loaded === undefined) {
    const problem = feed.problem.value;
    return problem ? <Failure problem={problem} /> : <p class="soft page">Loading…</p>;
  }
  if (feed.problem.value?.code === "history_expired") {
    return <Failure problem={feed.problem.value} />;
  }
  const last = windows.at(-1);
  const readOlder = async () => {
    if (last?.until !== undefined) {
      try {
        const next = await readWindow({ ...loaded.args, to: last.until });
        older.value = [...older.value, next];
      } catch (error) {
        // The page shows every failure of a request.
        if (!(error instanceof Problem)) {
          throw error;
        }
      }
    }
  };
  const days = [...Map.groupBy(records, (record) => day(record.at))];
  const isBetween = place.value.with !== undefined && range.value !== null;
  return (
    <section class="page" aria-labelledby="changes-title" aria-busy={feed.isLoading.value}>
      <header class="title">
        <h2 id="changes-title">{isBetween ? "Every change in between" : "Changes"}</h2>
        {isBetween && <Link to={{ view: "compare" }}>Only the differences</Link>}
      </header>
      {records.length === 0 && (
        <p>Nothing changed {isBetween ? "between these instants" : "up to this instant"}.</p>
      )}
      {days.map(([date, ofDay]) => (
        <section key={date}>
          <h2 class="day">{date}</h2>
          <ol>
            {[...Map.groupBy(ofDay, ({ at, actor }) => `${at} ${actor.id}`)].map(([id, of]) => (
              <Transaction key={id} records={of} />
            ))}
          </ol>
        </section>
      ))}
      {last !== undefined && last.omitted > 0 && (
        <p class="soft">{last.omitted.toLocaleString("en")} further changes are not shown.</p>
      )}
      {last?.until !== undefined && records.length > 0 && (
        <button type="button" onClick={readOlder}>
          Older changes
        </button>
      )}
    </section>
  );
}
