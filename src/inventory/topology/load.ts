import type { SQL } from "drizzle-orm";
import type { Context } from "hono";
import { abortOnFirst, type Guard } from "../../database/guards.ts";
import { ApiError } from "../../errors/errors.ts";
import type { TenantEnv } from "../../http/factory.ts";
import { Slots } from "../../http/limits/slots.ts";
import { toTopology } from "./graph.ts";
import { aroundHost, l2Of } from "./l2.ts";
import { type Layer2Row, layer2Of } from "./l2-sql.ts";
import { l3Of } from "./l3.ts";
import { type Topology, topologyBounds } from "./model.ts";
import { servicesOf } from "./services.ts";
import { type Asked, type TopologyRow, topologyOf } from "./sql.ts";

/**
 * Slots for maps of hosts in this isolate, by key. The largest map takes up to 40 MB of memory
 * while it is parsed and formatted, and an isolate has 128 MB.
 */
const slots = new Slots({ perHolder: 2, perIsolate: 2, expiresMs: 60_000, waitMs: 5000 });

/** `Retry-After`, in seconds, if no slot becomes free in time. */
const retryAfterSlots = 5;

/** The error for a map that is too large. */
export const mapTooLarge = ({ hosts, edges }: { hosts: number; edges: number }) =>
  new ApiError("topology_too_large", { hosts, edges });

/**
 * Takes a slot for a map of hosts, and returns a function that releases it.
 * @throws {ApiError} 503 if no slot becomes free in time
 */
export async function takeMapSlot(c: Context<TenantEnv>) {
  const release = await slots.take(c.var.keyHash);
  if (!release) {
    throw new ApiError("service_unavailable", {
      retry_after_seconds: retryAfterSlots,
      outcome: "unchanged",
      advice: "repeat",
    });
  }
  return release;
}

/**
 * Reads a map in one database call.
 * @param guards are checked before anything is read
 * @throws {ApiError} the guards' errors, 409 if the map is too large, and 410 if its instant is
 *   earlier than the history
 */
export async function loadTopology(
  c: Context<TenantEnv>,
  sent: Asked,
  guards: readonly Guard[] = [],
): Promise<Topology> {
  if (sent.at !== undefined) {
    c.var.tenant.requireHistory(sent.at, false);
  }
  return sent.layer === "l2" ? readLayer2(c, sent, guards) : readOther(c, sent, guards);
}

/** Returns the only row of a map. */
async function rowOf<Row extends Record<string, unknown>>(
  c: Context<TenantEnv>,
  statement: SQL,
  guards: readonly Guard[],
): Promise<Row> {
  const [{ rows }] = await c.var.tenant.run(
    (database) => [database.execute<Row>(statement)],
    guards.length > 0 ? { first: (database) => [abortOnFirst(database, guards)] } : {},
  );
  const [row] = rows;
  if (!row) {
    throw new Error("The map has no row.");
  }
  return row;
}

async function readLayer2(
  c: Context<TenantEnv>,
  sent: Asked,
  guards: readonly Guard[],
): Promise<Topology> {
  const { hosts, heard, listed } = await rowOf<Layer2Row>(c, layer2Of(sent), guards);
  if (listed === null) {
    throw mapTooLarge({ hosts, edges: heard });
  }
  const whole = l2Of(listed);
  const { host_id, depth = 1 } = sent;
  const graph = host_id === undefined ? whole : aroundHost(whole, host_id, depth);
  const edges = graph.edges.length;
  if (edges > topologyBounds.edges) {
    throw mapTooLarge({ hosts, edges });
  }
  const inSubnet = new Set(
    listed.address_rows.flatMap(({ host_id, subnet_id }) =>
      subnet_id === null ? [] : [`host:${host_id}`],
    ),
  );
  const drawn = graph.nodes.filter(({ type }) => type === "Host");
  const ambiguous = graph.unmatched.filter(({ isAmbiguous }) => isAmbiguous).length;
  return toTopology(
    graph,
    {
      hosts: drawn.length,
      hosts_in_no_subnet: drawn.filter(({ id }) => !inSubnet.has(id)).length,
      neighbors_ambiguous: ambiguous,
      neighbors_unknown: graph.unmatched.length - ambiguous,
    },
    sent,
  );
}

async function readOther(
  c: Context<TenantEnv>,
  sent: Asked,
  guards: readonly Guard[],
): Promise<Topology> {
  const row = await rowOf<TopologyRow>(c, topologyOf(sent), guards);
  const { hosts, hosts_in_no_subnet, address_edges, listed } = row;
  if (listed === null) {
    throw mapTooLarge({ hosts, edges: address_edges });
  }
  const graph = sent.layer === "l3" ? l3Of(listed) : servicesOf(listed);
  if (graph.edges.length > topologyBounds.edges) {
    throw mapTooLarge({ hosts, edges: graph.edges.length });
  }
  return toTopology(graph, { hosts, hosts_in_no_subnet }, sent);
}
