import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { comparedWith, marks } from "../hosts/marks.ts";
import { Link } from "../link.tsx";
import { Failure } from "../problems.tsx";
import { networkName } from "../session.ts";
import { place } from "../state.ts";
import { announced } from "./drawing.tsx";
import { Nothing } from "./empty.tsx";
import { current, drawn, matches } from "./graph.ts";
import {
  byCidr,
  compare,
  hostOf,
  type Neighbor,
  neighborsOf,
  type Place,
  type Scene,
  sceneOf,
  sortedPlaces,
} from "./scene.ts";
import { Toolbar } from "./toolbar.tsx";

const rowsAtOnce = 200;

interface Row {
  key: string;
  /** The host by which a search finds the row. */
  host: string;
  /** Returns the cells. The first one is the row's header. */
  cells: () => ComponentChildren[];
}

interface Group {
  id: string;
  /** The id of the network. */
  network: string;
  title: ComponentChildren;
  /** The host that the title names. */
  host?: string;
  detail: string;
  rows: Row[];
}

/** A key by which groups sort: networks with the same name stay apart. */
const networkKey = ({ network }: Group) => `${networkName(network)} ${network}`;

/** The link to a host, with the mark of its differences. */
function HostLink({ id, children }: { id: string; children: string }) {
  const isOpen = place.value.host === id;
  return (
    <>
      <Link to={{ host: id }} aria-current={isOpen ? "true" : undefined}>
        {children}
      </Link>{" "}
      {marks.loaded.value?.data.hosts.has(id) && (
        <span class="differs">
          <i aria-hidden="true" />
          differs<span class="hidden"> from {comparedWith.value}</span>
        </span>
      )}
    </>
  );
}

/** Returns a function that describes where a host and its services run. */
function runnersOf(scene: Scene): (of: Place) => string {
  const labels = new Map(
    scene.places.flatMap(({ node, services }) => [
      [node.id, node.label] as const,
      ...services.map(({ id, label }) => [id, `${label} on ${node.label}`] as const),
    ]),
  );
  const runsOn = Map.groupBy(scene.runsOn, ({ source }) => source);
  return ({ node, services }) =>
    [node.id, ...services.map(({ id }) => id)]
      .flatMap((id) => runsOn.get(id) ?? [])
      .map(({ source, target }) =>
        source === node.id
          ? (labels.get(target) ?? "")
          : `${labels.get(source)?.split(" on ")[0]} on ${labels.get(target)}`,
      )
      .join(", ");
}

/** The hosts of a scene by subnet: a host is in the group of each of its subnets. */
function subnetsOf(scene: Scene): Group[] {
  const groups = new Map<string, Group>();
  for (const { node } of [...scene.subnets].sort((one, other) => byCidr(one.node, other.node))) {
    const { cidr, subnet_type, hosts } = node.details;
    const subnet = node.record.id;
    groups.set(node.id, {
      id: node.id,
      network: node.network_id,
      title: scene.detail === "subnets" ? <Link to={{ subnet }}>{node.label}</Link> : node.label,
      detail: `${cidr} · ${subnet_type} · ${hosts.toLocaleString("en")} ${hosts === 1 ? "host" : "hosts"}`,
      rows: [],
    });
  }
  const isServices = scene.layer === "services";
  const runners = runnersOf(scene);
  for (const of of sortedPlaces(scene.places)) {
    const { node, subnets, address, further, services, key } = of;
    if (node.type === "Unknown") {
      continue;
    }
    const host = node.record.id;
    const row = (addresses: string): Row => ({
      key,
      host,
      cells: () => [
        <HostLink key="host" id={host}>
          {node.label}
        </HostLink>,
        <code key="address">{addresses || "no address"}</code>,
        isServices ? services.map(({ label }) => label).join(", ") : node.details.services,
        node.details.operating_system,
        runners(of),
      ],
    });
    const all = [...(subnets[0] ? [{ subnet: subnets[0], address }] : []), ...further];
    for (const subnet of subnets) {
      const own = all.filter((one) => one.subnet === subnet).map((one) => one.address);
      groups.get(subnet)?.rows.push(row(own.join(", ")));
    }
    if (subnets.length === 0) {
      const id = `none:${node.network_id}`;
      const group = groups.get(id) ?? {
        id,
        network: node.network_id,
        title: isServices ? "Hosts" : "In no subnet",
        detail: "",
        rows: [],
      };
      group.rows.push(row(node.details.addresses.join(", ")));
      groups.set(id, group);
    }
  }
  return [...groups.values()];
}

/** The neighbors of each host. */
function devicesOf(scene: Scene): Group[] {
  const neighbors = neighborsOf(scene);
  return sortedPlaces(scene.places).flatMap(({ node, address }): Group[] => {
    const host = hostOf(node);
    const own = neighbors.get(node.id) ?? [];
    return host === undefined
      ? []
      : [
          {
            id: node.id,
            network: node.network_id,
            host,
            title: <HostLink id={host}>{node.label}</HostLink>,
            detail: [address, own.length === 0 && "no known neighbor"].filter(Boolean).join(" · "),
            rows: own.map(({ of, port, other, otherPort }) => ({
              key: of.id,
              host,
              cells: () => [
                <code key="port">{port || "–"}</code>,
                <Other key="other" of={other} />,
                <code key="other port">{otherPort || "–"}</code>,
                of.type === "Learned" ? "forwarding table" : "LLDP or CDP",
              ],
            })),
          },
        ];
  });
}

function Other({ of }: { of: Neighbor["other"] }) {
  const host = hostOf(of);
  return of.type === "Unknown" ? (
    <>
      {of.label} <span class="soft">{["unknown", ...announced(of)].join(" · ")}</span>
    </>
  ) : (
    <Link to={{ host }}>{of.label}</Link>
  );
}

const columnsOf = (layer: Scene["layer"] | undefined) =>
  layer === "l2"
    ? ["Interface", "Neighbor", "Neighbor's interface", "Known from"]
    : ["Host", "Address", layer === "services" ? "Open services" : "Services", "System", "Runs on"];

/** The map as a table: networks, their subnets, and the hosts in them. */
export function MapTable() {
  const shown = useSignal(rowsAtOnce);
  const name = drawn.value?.name;
  useEffect(() => {
    shown.value = rowsAtOnce;
  }, [name]);
  const loaded = current.loaded.value?.data;
  const problem = current.problem.value;
  if (problem && (loaded === undefined || problem.retryAfterMs === undefined)) {
    return <Failure problem={problem} />;
  }
  const scene = loaded && sceneOf(loaded);
  const found = matches.loaded.value?.data;
  const isLayer2 = scene?.layer === "l2";
  const columns = columnsOf(scene?.layer);
  const all = scene === undefined ? [] : isLayer2 ? devicesOf(scene) : subnetsOf(scene);
  const isFound = (host: string | undefined) =>
    found === undefined || (host !== undefined && found.has(host));
  const groups = all
    .map((group) => ({ ...group, rows: group.rows.filter(({ host }) => isFound(host)) }))
    .filter(({ host, rows }) => rows.length > 0 || isFound(host))
    .sort((one, other) => compare(networkKey(one), networkKey(other)));
  // A group takes a row for its title.
  let left = shown.value;
  const visible = groups.flatMap((group) => {
    const rows = group.rows.slice(0, Math.max(0, left - 1));
    const isVisible = left > 0;
    left -= group.rows.length + 1;
    return isVisible ? [{ ...group, rows }] : [];
  });
  const rest = Math.max(0, -left);
  return (
    <section class="map" aria-label="Map" aria-busy={current.isLoading.value}>
      <Toolbar />
      {scene === undefined ? (
        <p class="soft page">Loading…</p>
      ) : all.length === 0 || (isLayer2 && scene.adjacencies.length === 0) ? (
        <Nothing />
      ) : (
        <div class="table">
          <table class={isLayer2 ? "layer-2" : ""}>
            <caption class="hidden">
              {isLayer2
                ? "The networks, their hosts, and the neighbors of these"
                : "The networks, their subnets, and the hosts in them"}
            </caption>
            <thead>
              <tr>
                {columns.map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            {visible.map(({ id, network, title, detail, rows }, index) => (
              <tbody key={id}>
                {visible[index - 1]?.network !== network && (
                  <tr class="of-network">
                    <th colSpan={columns.length} scope="rowgroup">
                      {networkName(network)}
                    </th>
                  </tr>
                )}
                <tr class="of-subnet">
                  <th colSpan={columns.length} scope="rowgroup">
                    {title} <code class="soft">{detail}</code>
                  </th>
                </tr>
                {rows.map(({ key, host, cells }) => {
                  const [head, ...others] = cells();
                  return (
                    <tr key={key} class={place.value.host === host ? "open" : ""}>
                      <th scope="row">{head}</th>
                      {others.map((cell, column) => (
                        <td key={columns[column + 1]} class={column > 1 ? "soft" : ""}>
                          {cell}
                        </td>
                      ))}
                    </tr>
                  );
                })}
              </tbody>
            ))}
          </table>
          {rest > 0 && (
            <button
              type="button"
              onClick={() => {
                shown.value += rowsAtOnce;
              }}
            >
              Show {Math.min(rowsAtOnce, rest)} more of {rest.toLocaleString("en")} rows
            </button>
          )}
        </div>
      )}
    </section>
  );
}
