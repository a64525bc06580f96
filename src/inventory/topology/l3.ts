import {
  addressEdge,
  type Graph,
  gatewayEdge,
  hostNodes,
  runsOnEdge,
  subnetNodes,
} from "./graph.ts";
import type { Listed } from "./sql.ts";

/** The map of subnets and hosts. */
export function l3Of(listed: Listed): Graph {
  const hosts = new Set(listed.host_rows.map(({ id }) => id));
  const subnets = new Set(listed.subnet_rows.map(({ id }) => id));
  const isDrawn = (id: string | null): id is string => id !== null && subnets.has(id);
  const toHostNode = hostNodes(listed);
  const toSubnetNode = subnetNodes(listed);
  const subnetCounts = new Map(listed.home_rows.map(({ host_id, subnets }) => [host_id, subnets]));
  const homes = new Map(
    listed.address_rows.flatMap(({ host_id, subnet_id }) =>
      isDrawn(subnet_id) ? [[host_id, subnet_id]] : [],
    ),
  );
  return {
    nodes: [
      ...listed.subnet_rows.map(toSubnetNode),
      ...listed.host_rows.map((host) => {
        const home = subnetCounts.get(host.id) === 1 ? homes.get(host.id) : undefined;
        return toHostNode(host, home === undefined ? null : `subnet:${home}`);
      }),
    ],
    edges: [
      ...listed.address_rows.flatMap(({ subnet_id, ...address }) =>
        isDrawn(subnet_id) ? [addressEdge({ ...address, subnet_id })] : [],
      ),
      ...listed.gateway_rows
        .filter(({ subnet_id }) => isDrawn(subnet_id))
        .map((gateway) => gatewayEdge(gateway)),
      ...listed.runs_on_rows
        .filter(({ host_id, runner_id }) => hosts.has(host_id) && hosts.has(runner_id))
        .map((guest) => runsOnEdge(guest, `host:${guest.runner_id}`)),
    ],
  };
}
