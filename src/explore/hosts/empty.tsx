import { hosts, read, type SearchResult, search } from "../api.ts";
import { day } from "../dates.ts";
import { Link } from "../link.tsx";
import { resource } from "../resource.ts";
import { networkList, networkName, session } from "../session.ts";
import { type Place, place } from "../state.ts";
import { histogram } from "../time/histogram.ts";
import { queryOf, total } from "./pages.ts";

type Elsewhere = Pick<Place, "network" | "at" | "q">;

/** States of the page with fewer conditions, in which the search may find something. */
function alternatives({ network, at, q }: Place): { text: string; to: Elsewhere }[] {
  return [
    { text: "in all networks", to: { network: undefined, at, q }, isOther: network !== undefined },
    { text: "now", to: { network, at: undefined, q }, isOther: at !== undefined },
    {
      text: "now, in all networks",
      to: { network: undefined, at: undefined, q },
      isOther: network !== undefined && at !== undefined,
    },
    { text: "without the search", to: { network, at, q: undefined }, isOther: q !== undefined },
  ].filter(({ isOther }) => isOther);
}

interface Found {
  text: string;
  to: Elsewhere;
  count: number;
}

const found = resource<{ session: number; of: Elsewhere }, Found[]>(
  () => {
    const { network, at, q, view } = place.value;
    return session.value === undefined || view !== "hosts" || total.value !== 0
      ? undefined
      : { session: session.value, of: { network, at, q } };
  },
  ({ of }, abort) =>
    Promise.all(
      alternatives({ ...of, view: "hosts" }).map(async ({ text, to }) => {
        const query = {
          ...queryOf({ network: to.network, at: to.at, q: to.q }),
          limit: "1",
          include_children: "false",
        } as const;
        const { meta } = await read(hosts.$get({ query }, { init: { signal: abort } }));
        return { text, to, count: meta.pagination.total_count };
      }),
    ),
);

/** Maximum number of records that are shown for a text that no host matches. */
const maximumMatches = 10;

/**
 * The records of all kinds that match the words of the search, themselves or on their host. The
 * search of the API knows only the current records.
 */
const matches = resource<
  { session: number; q: string; network: string | undefined },
  SearchResult[]
>(
  () => {
    const { network, at, q, view } = place.value;
    return session.value === undefined ||
      view !== "hosts" ||
      total.value !== 0 ||
      q === undefined ||
      at !== undefined
      ? undefined
      : { session: session.value, q, network };
  },
  async ({ q, network }, abort) => {
    const query = { q, limit: String(maximumMatches), ...(network && { network_id: network }) };
    return (await read(search.$get({ query }, { init: { signal: abort } }))).data;
  },
);

/** The names of the kinds for people, where they differ from the API's. */
const kindNames: { readonly [Kind in SearchResult["entity"]]?: string } = { IPAddress: "Address" };

function Matches({ of }: { of: SearchResult[] }) {
  return (
    <>
      <h3>Records with these words</h3>
      <ul class="matches">
        {of.map(({ entity, id, label, host_id }) => (
          <li key={id}>
            {host_id === null ? label : <Link to={{ host: host_id }}>{label}</Link>}{" "}
            <small>{kindNames[entity] ?? entity}</small>
          </li>
        ))}
      </ul>
    </>
  );
}

function Others({ of }: { of: Found[] }) {
  return of.map(({ text, to, count }) => (
    <li key={text}>
      <Link to={to}>
        {count.toLocaleString("en")} {count === 1 ? "host" : "hosts"} {text}
      </Link>
    </li>
  ));
}

/** States why the list is empty, and which other conditions would find hosts. */
export function Nothing() {
  const { q, at, network } = place.value;
  const others = (found.loaded.value?.data ?? []).filter(({ count }) => count > 0);
  const matched = matches.loaded.value;
  // Data stays until newer data arrives, and may be for another text or network.
  const isCurrent = matched?.args.q === q && matched?.args.network === network;
  const matching = isCurrent ? (matched?.data ?? []) : [];
  const first = histogram.loaded.value?.data.buckets[0]?.first_at;
  if (q === undefined && at === undefined) {
    return <Beginning others={others} />;
  }
  const where = network === undefined ? "" : ` in ${networkName(network)}`;
  const when = at === undefined ? "" : ` on ${day(at)}`;
  return (
    <div class="nothing">
      <h2>
        {q === undefined
          ? `No host was known${where}${when}.`
          : `No host matches “${q}”${where}${when}.`}
      </h2>
      {matching.length > 0 && <Matches of={matching} />}
      {q !== undefined && (
        <p>
          Names, host names, systems, addresses, MAC addresses, ports and services were searched.
        </p>
      )}
      <ul>
        <Others of={others} />
        {at !== undefined && first !== undefined && at < first && (
          <li>
            <Link to={{ at: first }}>The first change is of {day(first)}</Link>
          </li>
        )}
      </ul>
    </div>
  );
}

/** The first steps for an empty inventory. */
function Beginning({ others }: { others: Found[] }) {
  const { network } = place.value;
  const into = networkList.loaded.value?.data.find(
    ({ id }) => network === undefined || id === network,
  );
  const authorization = `-H "Authorization: Bearer $KEY"`;
  return (
    <div class="nothing">
      <h2>No hosts yet{network === undefined ? "" : ` in ${networkName(network)}`}.</h2>
      {into === undefined ? (
        <>
          <p>Create a network first. It is what a scan belongs to:</p>
          <pre>
            <code>{`curl ${location.origin}/api/v1/networks ${authorization} \\\n  -H 'Content-Type: application/json' -d '{"name": "Office"}'`}</code>
          </pre>
        </>
      ) : (
        <>
          <p>
            Import a scan by nmap into <b>{into.name}</b>:
          </p>
          <pre>
            <code>{`nmap -sV -oX - 192.168.1.0/24 | curl \\\n  ${location.origin}/api/v1/networks/${into.id}/imports \\\n  ${authorization} -H 'Content-Type: application/xml' --data-binary @-`}</code>
          </pre>
          <p>
            Or let a daemon scan the network again and again:{" "}
            <a href="/docs/daemons">provision a daemon</a>.
          </p>
        </>
      )}
      <ul>
        <Others of={others} />
      </ul>
    </div>
  );
}
