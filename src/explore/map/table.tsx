import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { comparedWith, marks } from "../hosts/marks.ts";
import { Link } from "../link.tsx";
import { Failure } from "../problems.tsx";
import { networkName } from "../session.ts";
import { place } from "../state.ts";
import { Nothing } from "./empty.tsx";
import { current, drawn, matches } from "./graph.ts";
import { byCidr, type Place, type Scene, sceneOf, sortedPlaces } from "./scene.ts";
import { Toolbar } from "./toolbar.tsx";

const rowsAtOnce = 200;

interface Row {
  place: Place;
  /** The host's addresses in this group. */
  addresses: string;
}

interface Group {
  id: string;
  network: string;
  title: string;
  detail: string;
  subnet: string | undefined;
  rows: Row[];
}

/** The places of a scene by subnet: a host is in the group of each of its subnets. */
function groupsOf(scene: Scene): Group[] {
  const groups = new Map<string, Group>();
  for (const { node } of [...scene.subnets].sort((one, other) => byCidr(one.node, other.node))) {
    const { cidr, subnet_type, hosts } = node.details;
    groups.set(node.id, {
      id: node.id,
      network: networkName(node.network_id),
      title: node.label,
      detail: `${cidr} · ${subnet_type} · ${hosts.toLocaleString("en")} ${hosts === 1 ? "host" : "hosts"}`,
      subnet: node.record.id,
      rows: [],
    });
  }
  const isServices = scene.layer === "services";
  for (const place of sortedPlaces(scene.places)) {
    const { node, subnets, address, further } = place;
    const all = [...(subnets[0] ? [{ subnet: subnets[0], address }] : []), ...further];
    for (const subnet of subnets) {
      const own = all.filter((one) => one.subnet === subnet).map((one) => one.address);
      groups.get(subnet)?.rows.push({ place, addresses: own.join(", ") });
    }
    if (subnets.length === 0) {
      const id = `none:${node.network_id}`;
      const group = groups.get(id) ?? {
        id,
        network: networkName(node.network_id),
        title: isServices ? "Hosts" : "In no subnet",
        detail: "",
        subnet: undefined,
        rows: [],
      };
      group.rows.push({ place, addresses: node.details.addresses.join(", ") });
      groups.set(id, group);
    }
  }
  return [...groups.values()].sort((one, other) =>
    one.network === other.network ? 0 : one.network < other.network ? -1 : 1,
  );
}

const columnsOf = (isServices: boolean) => [
  "Host",
  "Address",
  isServices ? "Open services" : "Services",
  "System",
  "Runs on",
];

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
  const isServices = scene?.layer === "services";
  const labels = new Map(
    scene?.places.flatMap(({ node, services }) => [
      [node.id, node.label] as const,
      ...services.map(({ id, label }) => [id, `${label} on ${node.label}`] as const),
    ]),
  );
  const runsOn = Map.groupBy(scene?.runsOn ?? [], ({ source }) => source);
  const runnersOf = ({ node, services }: Place) =>
    [node.id, ...services.map(({ id }) => id)]
      .flatMap((id) => runsOn.get(id) ?? [])
      .map(({ source, target }) =>
        source === node.id
          ? (labels.get(target) ?? "")
          : `${labels.get(source)?.split(" on ")[0]} on ${labels.get(target)}`,
      )
      .join(", ");
  let left = shown.value;
  const groups = (scene ? groupsOf(scene) : []).map((group) => {
    const rows = group.rows.filter(
      ({ place: { node } }) => found === undefined || found.has(node.record.id),
    );
    const visible = rows.slice(0, Math.max(0, left));
    left -= rows.length + 1;
    return {
      ...group,
      rows: visible,
      isVisible: left > -rows.length - 1,
      rest: rows.length - visible.length,
    };
  });
  const rest = groups.reduce((sum, group) => sum + group.rest, 0);
  const visible = groups.filter(
    ({ isVisible, rows }) => isVisible && (found === undefined || rows.length > 0),
  );
  return (
    <section class="map" aria-label="Map" aria-busy={current.isLoading.value}>
      <Toolbar />
      {scene === undefined ? (
        <p class="soft page">Loading…</p>
      ) : groups.length === 0 ? (
        <Nothing />
      ) : (
        <div class="table">
          <table>
            <caption class="hidden">The networks, their subnets, and the hosts in them</caption>
            <thead>
              <tr>
                {columnsOf(isServices).map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            {visible.map(({ id, network, title, detail, subnet, rows }, index) => (
              <tbody key={id}>
                {visible[index - 1]?.network !== network && (
                  <tr class="of-network">
                    <th colSpan={5} scope="rowgroup">
                      {network}
                    </th>
                  </tr>
                )}
                <tr class="of-subnet">
                  <th colSpan={5} scope="rowgroup">
                    {subnet && scene.detail === "subnets" ? (
                      <Link to={{ subnet }}>{title}</Link>
                    ) : (
                      title
                    )}{" "}
                    <code class="soft">{detail}</code>
                  </th>
                </tr>
                {rows.map(({ place: at, addresses }) => (
                  <HostRow
                    key={at.key}
                    of={at}
                    addresses={addresses}
                    runsOn={runnersOf(at)}
                    isServices={isServices}
                  />
                ))}
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
              Show {Math.min(rowsAtOnce, rest)} more of {rest.toLocaleString("en")} hosts
            </button>
          )}
        </div>
      )}
    </section>
  );
}

function HostRow({
  of: { node, services },
  addresses,
  runsOn,
  isServices,
}: {
  of: Place;
  addresses: string;
  runsOn: string;
  isServices: boolean;
}) {
  const { id } = node.record;
  const differs = marks.loaded.value?.data.hosts.has(id) ?? false;
  const isOpen = place.value.host === id;
  return (
    <tr class={isOpen ? "open" : ""}>
      <th scope="row">
        <Link to={{ host: id }} aria-current={isOpen ? "true" : undefined}>
          {node.label}
        </Link>{" "}
        {differs && (
          <span class="differs">
            <i aria-hidden="true" />
            differs<span class="hidden"> from {comparedWith.value}</span>
          </span>
        )}
      </th>
      <td>
        <code>{addresses || "no address"}</code>
      </td>
      <td>{isServices ? services.map(({ label }) => label).join(", ") : node.details.services}</td>
      <td class="soft">{node.details.operating_system}</td>
      <td class="soft">{runsOn}</td>
    </tr>
  );
}
