import { type Graph, hostNodes, runsOnEdge, serviceNode } from "./graph.ts";
import type { Listed } from "./sql.ts";

/** The map of services, the hosts that they are on, and the services that run them. */
export function servicesOf(listed: Listed): Graph {
  const hosts = new Set(listed.host_rows.map(({ id }) => id));
  const toHostNode = hostNodes(listed);
  const edges = listed.runs_on_rows
    .filter(({ host_id, runner_id }) => hosts.has(host_id) && hosts.has(runner_id))
    .map((guest) => runsOnEdge(guest, `service:${guest.service_id}`));
  const connected = new Set(edges.flatMap(({ source, target }) => [source, target]));
  return {
    nodes: [
      ...listed.host_rows.map((host) => toHostNode(host, null)),
      ...listed.service_rows
        .filter(({ id, is_open }) => is_open || connected.has(`service:${id}`))
        .map(serviceNode),
    ],
    edges,
  };
}
