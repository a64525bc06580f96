import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Change, type Host, hosts, Problem, read, type Subnet, subnets } from "../api.ts";
import { hostDifferences } from "../changes/comparison.ts";
import { Rows } from "../changes/rows.tsx";
import { actorOf } from "../changes/sentence.ts";
import { ago, clock, day, minute } from "../dates.ts";
import { Link } from "../link.tsx";
import { Failure } from "../problems.tsx";
import { resource } from "../resource.ts";
import { canEdit, networkName, session } from "../session.ts";
import { announcement, go, place, range, revision } from "../state.ts";
import { Edit } from "./edit.tsx";
import { comparedWith } from "./marks.ts";
import { hostPages, liveId } from "./pages.ts";
import { vlansOf } from "./vlans.ts";

interface Args {
  session: number;
  id: string;
  at: string | undefined;
  revision: number;
}

/** The open host at the instant, or null if it did not exist. */
const openHost = resource<Args, { host: Host; subnets: Subnet[] } | null>(
  () => {
    const { host, at } = place.value;
    return session.value === undefined || host === undefined
      ? undefined
      : { session: session.value, id: host, at, revision: revision.value };
  },
  async ({ id, at }, abort) => {
    const init = { init: { signal: abort } };
    const query = { ids: id, ...(at && { at }) };
    const [host] = (await read(hosts.$get({ query }, init))).data;
    if (host === undefined) {
      return null;
    }
    const ids = [...new Set((host.ip_addresses ?? []).flatMap((one) => one.subnet_id ?? []))];
    const ofSubnets = { ids: ids.slice(0, 50), limit: "50", ...(at && { at }) };
    return {
      host,
      subnets: ids.length > 0 ? (await read(subnets.$get({ query: ofSubnets }, init))).data : [],
    };
  },
);

const timelinePageSize = 100;

interface Timeline {
  changes: Change[];
  cursor: string | undefined;
}

/** The newest changes of the open host. */
const timeline = resource<Omit<Args, "at">, Timeline>(
  () => {
    const { host } = place.value;
    return session.value === undefined || host === undefined
      ? undefined
      : { session: session.value, id: host, revision: revision.value };
  },
  ({ id }, abort) => readTimeline(id, undefined, abort),
);

async function readTimeline(
  id: string,
  cursor: string | undefined,
  abort?: AbortSignal,
): Promise<Timeline> {
  const query = { limit: String(timelinePageSize), ...(cursor && { cursor }) };
  const { data, meta } = await read(
    hosts[":id"].timeline.$get({ param: { id }, query }, abort && { init: { signal: abort } }),
  );
  return { changes: data, cursor: meta.has_more ? meta.next_cursor : undefined };
}

interface Listener {
  id: string;
  port: string;
  name: string;
  version: string;
  addresses: string;
}

/** The open ports and services: one for each port on which a service listens. */
function listenersOf({ services = [], ports = [], ip_addresses = [] }: Host): Listener[] {
  const portNames = new Map(
    ports.map((port) => [
      liveId(port),
      { name: `${port.number}/${port.protocol}`, number: port.number },
    ]),
  );
  const addresses = new Map(ip_addresses.map((one) => [liveId(one), one.ip_address]));
  const listeners = services
    .filter(({ is_open }) => is_open)
    .flatMap((service) => {
      const byPort = Map.groupBy(service.bindings, (binding) =>
        binding.type === "Port" ? binding.port_id : "",
      );
      return [...byPort].map(([port, bindings]) => {
        const on = bindings.flatMap((binding) => addresses.get(binding.ip_address_id ?? "") ?? []);
        return {
          id: `${service.id} ${port}`,
          number: portNames.get(port)?.number ?? Number.POSITIVE_INFINITY,
          port: portNames.get(port)?.name ?? "",
          name: service.name,
          version: service.version ?? "",
          addresses: ip_addresses.length > 1 ? on.join(", ") : "",
        };
      });
    });
  // Services without a port come last.
  return listeners.sort((one, other) => (one.number < other.number ? -1 : 1));
}

const speedUnits = [
  [1e9, "Gbit/s"],
  [1e6, "Mbit/s"],
  [1e3, "kbit/s"],
] as const;

function speedOf(speed: number | null): string {
  const [size, unit] = speedUnits.find(([least]) => (speed ?? 0) >= least) ?? [1, "bit/s"];
  return speed === null ? "" : `${speed / size} ${unit}`;
}

function Listens({ host }: { host: Host }) {
  const listeners = listenersOf(host);
  const closed = (host.services ?? []).filter(({ is_open }) => !is_open);
  return (
    <section aria-labelledby="listens">
      <h3 id="listens">Listens ({listeners.length})</h3>
      {listeners.length === 0 && <p class="soft">No open service is known.</p>}
      <ul class="facts">
        {listeners.map((one) => (
          <li key={one.id}>
            <code>{one.port || "–"}</code>
            <span>{one.name}</span>
            <span class="soft">{[one.version, one.addresses].filter(Boolean).join(" · ")}</span>
          </li>
        ))}
      </ul>
      {closed.length > 0 && (
        <p class="soft">Known, but not open: {closed.map(({ name }) => name).join(", ")}</p>
      )}
    </section>
  );
}

function Addresses({ host, of }: { host: Host; of: Subnet[] | undefined }) {
  const addresses = host.ip_addresses ?? [];
  return (
    <section aria-labelledby="addresses">
      <h3 id="addresses">Addresses ({addresses.length})</h3>
      <ul class="facts addresses">
        {addresses.map((one) => {
          const subnet = of?.find((candidate) => liveId(candidate) === one.subnet_id);
          const name = subnet && subnet.name !== subnet.cidr ? `${subnet.name}, ` : "";
          return (
            <li key={one.id}>
              <code>{one.ip_address}</code>
              <code class="soft">{one.mac_address}</code>
              <span class="soft">
                {subnet ? `${name}${subnet.cidr}` : of && "in no known subnet"}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Interfaces({ host }: { host: Host }) {
  const interfaces = host.interfaces ?? [];
  return (
    <section aria-labelledby="interfaces">
      <h3 id="interfaces">Interfaces ({interfaces.length})</h3>
      {interfaces.length === 0 && <p class="soft">None was reported.</p>}
      <ul class="facts">
        {interfaces.map((one) => (
          <li key={one.id}>
            <code>{one.name ?? one.if_index}</code>
            <span>
              {[speedOf(one.speed_bps), (one.oper_status ?? one.admin_status)?.toLowerCase()]
                .filter(Boolean)
                .join(", ")}
            </span>
            <span class="soft">{one.mac_address ?? one.description}</span>
            {one.alias && <span class="soft of-interface">{one.alias}</span>}
            {vlansOf(one) && <span class="soft of-interface">{vlansOf(one)}</span>}
            {one.neighbors.map((neighbor) => (
              <span key={neighbor.id} class="of-interface">
                {`hears ${neighbor.system_name ?? neighbor.chassis_id.value}`}
                {neighbor.port_id && ` ${neighbor.port_id.value}`}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Differs() {
  const found = hostDifferences.loaded.value;
  const items = found?.data.items ?? [];
  return (
    <section aria-labelledby="differs" class="differences">
      <h3 id="differs">Differs from {comparedWith.value}</h3>
      {found === undefined ? (
        <p class="soft">Comparing…</p>
      ) : items.length === 0 ? (
        <p class="soft">Nothing differs.</p>
      ) : (
        <Rows records={items} isDated />
      )}
    </section>
  );
}

function Timeline({ id }: { id: string }) {
  const more = useSignal<Timeline | undefined>(undefined);
  const { at } = place.value;
  const loaded = timeline.loaded.value;
  useEffect(() => {
    more.value = undefined;
  }, [loaded]);
  if (loaded === undefined || loaded.args.id !== id) {
    return null;
  }
  const changes = [...loaded.data.changes, ...(more.value?.changes ?? [])];
  const cursor = more.value === undefined ? loaded.data.cursor : more.value.cursor;
  const readMore = async () => {
    try {
      const next = await readTimeline(id, cursor);
      more.value = { ...next, changes: [...(more.value?.changes ?? []), ...next.changes] };
    } catch (error) {
      // The page shows every failed request.
      if (!(error instanceof Problem)) {
        throw error;
      }
    }
  };
  const groups = [...Map.groupBy(changes, (change) => change.at)];
  return (
    <section aria-labelledby="timeline" class="timeline">
      <h3 id="timeline">Timeline</h3>
      <ol>
        {groups.map(([instant, records]) => {
          const isLater = at !== undefined && Date.parse(instant) > Date.parse(at);
          const [first] = records;
          const actor = first && actorOf(first);
          return (
            <li key={instant} class={isLater ? "later" : ""}>
              <p class="when">
                <Link to={{ at: instant }} title="Go to this instant">
                  {day(instant)}, {clock(instant)}
                </Link>
                {actor && <span class="soft">by {actor}</span>}
                {isLater && <span class="soft">later</span>}
              </p>
              <Rows records={records} />
            </li>
          );
        })}
      </ol>
      {cursor !== undefined && (
        <button type="button" onClick={readMore}>
          Show older changes
        </button>
      )}
    </section>
  );
}

/** Closes the panel and returns the focus to the host's row. */
export function closeHost(): void {
  const { host } = place.value;
  go({ host: undefined });
  requestAnimationFrame(() =>
    (document.getElementById(`host-${host}`) ?? document.getElementById("find"))?.focus(),
  );
}

function Absent({ id }: { id: string }) {
  const { at } = place.value;
  const changes = timeline.loaded.value?.args.id === id ? timeline.loaded.value.data.changes : [];
  const last = changes.find(({ entity }) => entity === "Host");
  const [first] = changes.filter(({ entity }) => entity === "Host").slice(-1);
  if (timeline.problem.value?.code === "entity_not_found") {
    return (
      <p>
        There is no such host in the networks that your key reaches, or its history has expired.
      </p>
    );
  }
  const isBefore = at !== undefined && first !== undefined && at < first.at;
  return (
    <>
      <p>{isBefore ? `Not known yet on ${minute(at)}.` : "This host no longer exists."}</p>
      {isBefore && (
        <p>
          <Link to={{ at: first.at }}>Known since {day(first.at)}</Link>
        </p>
      )}
      {!isBefore && last && (
        <p>
          <Link to={{ at: new Date(Date.parse(last.at) - 1).toISOString() }}>
            Show it as it was before {day(last.at)}
          </Link>
        </p>
      )}
    </>
  );
}

/** The open host: everything that is known about it at the instant. */
export function HostPanel({ id }: { id: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isEditing = useSignal(false);
  const current = useComputed(() => {
    const loaded = openHost.loaded.value;
    if (loaded?.args.id === id) {
      return loaded.data;
    }
    // Until the host itself arrives, the copy in the list is shown.
    const list = hostPages.loaded.value;
    const host =
      list?.args.at === place.value.at
        ? [...(list?.data.pages.values() ?? [])].flat().find((one) => liveId(one) === id)
        : undefined;
    return host && { host, subnets: undefined };
  });
  const { at } = place.value;
  useEffect(() => {
    isEditing.value = false;
    heading.current?.focus();
  }, [id]);
  const found = current.value;
  const label =
    found?.host.name ??
    (timeline.loaded.value?.args.id === id
      ? timeline.loaded.value.data.changes.find(({ entity }) => entity === "Host")?.label
      : undefined);
  return (
    <aside class="panel" aria-labelledby="host-name" aria-busy={openHost.isLoading.value}>
      <header>
        <h2 id="host-name" ref={heading} tabIndex={-1}>
          {label ?? "Host"}
        </h2>
        <button type="button" class="icon close" aria-label="Close" onClick={closeHost}>
          ✕
        </button>
      </header>
      {found === undefined && openHost.problem.value ? (
        <Failure problem={openHost.problem.value} />
      ) : found === undefined ? (
        <p class="soft">Loading…</p>
      ) : found === null ? (
        <Absent id={id} />
      ) : isEditing.value ? (
        <Edit
          id={id}
          close={() => {
            isEditing.value = false;
            heading.current?.focus();
          }}
        />
      ) : (
        <About
          host={found.host}
          edit={() => {
            isEditing.value = true;
          }}
        />
      )}
      {found && range.value && <Differs />}
      {found && (
        <>
          <Listens host={found.host} />
          <Addresses host={found.host} of={found.subnets} />
          <Interfaces host={found.host} />
        </>
      )}
      <Timeline id={id} />
      {at !== undefined && canEdit.value && found && (
        <p class="soft">
          Names are changed as of now. <Link to={{ at: undefined }}>Go to now</Link>
        </p>
      )}
    </aside>
  );
}

/** The depth of the map around a host, in edges: to its subnets, then to the hosts in them. */
const nearbyDepth = 2;

function About({ host, edit }: { host: Host; edit: () => void }) {
  const { at } = place.value;
  const device = [host.manufacturer, host.model].filter(Boolean).join(" ");
  const copy = async () => {
    await navigator.clipboard.writeText(location.href);
    announcement.value = "The link is copied.";
  };
  return (
    <div class="about">
      <p class="soft">
        {[host.hostname, device, host.operating_system, networkName(host.network_id)]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {host.description && <p class="description">{host.description}</p>}
      <p class="soft">
        Known since {day(host.created_at)}
        {at === undefined && ` · last seen ${ago(host.last_seen_at)}`}
      </p>
      <div class="buttons">
        {at === undefined && canEdit.value && (
          <button type="button" onClick={edit}>
            Rename or describe
          </button>
        )}
        <Link
          class="button"
          to={{ view: "map", depth: nearbyDepth, subnet: undefined, q: undefined }}
        >
          Map around {host.name}
        </Link>
        <button type="button" onClick={copy}>
          Copy link
        </button>
      </div>
    </div>
  );
}
