import type { SQL } from "drizzle-orm";
import type { Context } from "hono";
import * as z from "zod";
import { maximumVlan } from "../../database/tables/index.ts";
import { ApiError } from "../../errors/errors.ts";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { metaOf, type ok } from "../../http/envelope.ts";
import { factory, type TenantEnv } from "../../http/factory.ts";
import { choice } from "../../http/input/choice.ts";
import { ifNoneMatch } from "../../http/input/entity-tag.ts";
import { id } from "../../http/input/id.ts";
import { integerText } from "../../http/input/integer.ts";
import { instant } from "../../http/input/timestamp.ts";
import { Slots } from "../../http/limits/slots.ts";
import { ids } from "../../http/list/filter.ts";
import { negotiate } from "../../http/negotiate.ts";
import { tagged } from "../../http/tagged.ts";
import { validate } from "../../http/validation/validate.ts";
import { toTopology } from "./graph.ts";
import { graphvizOf } from "./graphviz.ts";
import { aroundHost, l2Of } from "./l2.ts";
import { type Layer2Row, layer2Of } from "./l2-sql.ts";
import { l3Of } from "./l3.ts";
import { mermaidBounds, mermaidOf } from "./mermaid.ts";
import { detailLevels, layers, maximumDepth, type Topology, topologyBounds } from "./model.ts";
import { servicesOf } from "./services.ts";
import { type TopologyRow, topologyOf } from "./sql.ts";

const query = z
  .strictObject({
    layer: choice(layers).default("l3"),
    network_id: ids.optional(),
    at: instant.optional(),
    detail: choice(detailLevels).default("hosts"),
    host_id: id.optional(),
    depth: integerText(1, maximumDepth).optional(),
    subnet_id: id.optional(),
    tag_ids: ids.optional(),
    vlan: integerText(1, maximumVlan).optional(),
  })
  .refine(({ layer, detail }) => layer === "l3" || detail === "hosts", {
    path: ["detail"],
    error: "must be hosts in this layer, which has no subnets",
  })
  .refine(({ host_id, detail }) => host_id === undefined || detail === "hosts", {
    path: ["host_id"],
    error: "must be omitted with detail=subnets",
  })
  .refine(({ host_id, depth }) => host_id !== undefined || depth === undefined, {
    path: ["depth"],
    error: "must be omitted without host_id, from which the distance is measured",
  });
type Query = z.output<typeof query>;

const header = z.object({ "if-none-match": ifNoneMatch });

/**
 * Slots for maps of hosts in this isolate, by key. The largest map takes up to 40 MB of memory
 * while it is parsed and formatted, and an isolate has 128 MB.
 */
const slots = new Slots({ perHolder: 2, perIsolate: 2, expiresMs: 60_000, waitMs: 5000 });

/** The media types of the formats, starting with the default. */
const mediaTypes = [
  "application/json",
  "text/vnd.mermaid",
  "application/vnd.mermaid",
  "text/vnd.graphviz",
] as const;

/** `Retry-After`, in seconds, if no slot becomes free in time. */
const retryAfterSlots = 5;

/**
 * GET /api/v1/topology: returns a map of networks as a graph, now or at an instant (API contract,
 * section 13). Takes one database call.
 */
export const readTopology = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query, header }),
  handles({
    errors: ["request_not_acceptable", "topology_too_large", "history_expired"],
    otherForms: mediaTypes.slice(1),
    responses: { 200: ["ETag", "Vary"], 304: ["ETag"] },
  }),
  async (c) => {
    const sent = c.req.valid("query");
    const isKnown = c.req.valid("header")["if-none-match"];
    c.header("Vary", "Accept", { append: true });
    const { mediaType } = negotiate(c.req.header("Accept"), mediaTypes);
    const release = sent.detail === "hosts" ? await takeSlot(c) : () => {};
    try {
      const map = await read(c, sent);
      const text = written(c, map, mediaType);
      const bytes = new TextEncoder().encode(text);
      if (bytes.length > topologyBounds.bytes) {
        throw tooLarge(map.counts);
      }
      const response = c.body(text, 200, { "Content-Type": mediaType });
      // `ok` cannot be used, since it does not return the text whose size is limited. Without an
      // Accept header, the response is the same as that of `ok`.
      return await tagged(
        c,
        response as Response as ReturnType<typeof ok<TenantEnv, Topology>>,
        isKnown,
      );
    } finally {
      release();
    }
  },
);

/** @throws {ApiError} 409 if the map is too large for Mermaid */
function written(
  c: Context<TenantEnv>,
  map: Topology,
  mediaType: (typeof mediaTypes)[number],
): string {
  switch (mediaType) {
    case "application/json":
      return JSON.stringify({ success: true, data: map, meta: metaOf(c) });
    case "text/vnd.graphviz":
      return graphvizOf(map);
    case "text/vnd.mermaid":
    case "application/vnd.mermaid": {
      const text = mermaidOf(map);
      if (map.edges.length > mermaidBounds.edges || text.length > mermaidBounds.characters) {
        throw tooLarge(map.counts);
      }
      return text;
    }
  }
}

const tooLarge = ({ hosts, edges }: { hosts: number; edges: number }) =>
  new ApiError("topology_too_large", { hosts, edges });

/** @throws {ApiError} 503 if no slot becomes free in time */
async function takeSlot(c: Context<TenantEnv>) {
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

/** @throws {ApiError} 409 if the map is too large, 410 */
async function read(c: Context<TenantEnv>, sent: Query): Promise<Topology> {
  if (sent.at !== undefined) {
    c.var.tenant.requireHistory(sent.at, false);
  }
  return sent.layer === "l2" ? readLayer2(c, sent) : readOther(c, sent);
}

/** Returns the only row of a map. */
async function rowOf<Row extends Record<string, unknown>>(
  c: Context<TenantEnv>,
  statement: SQL,
): Promise<Row> {
  const [{ rows }] = await c.var.tenant.run((database) => [database.execute<Row>(statement)]);
  const [row] = rows;
  if (!row) {
    throw new Error("The map has no row.");
  }
  return row;
}

async function readLayer2(c: Context<TenantEnv>, sent: Query): Promise<Topology> {
  const { hosts, heard, listed } = await rowOf<Layer2Row>(c, layer2Of(sent));
  if (listed === null) {
    throw tooLarge({ hosts, edges: heard });
  }
  const whole = l2Of(listed);
  const { host_id, depth = 1 } = sent;
  const graph = host_id === undefined ? whole : aroundHost(whole, host_id, depth);
  const edges = graph.edges.length;
  if (edges > topologyBounds.edges) {
    throw tooLarge({ hosts, edges });
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

async function readOther(c: Context<TenantEnv>, sent: Query): Promise<Topology> {
  const row = await rowOf<TopologyRow>(c, topologyOf(sent));
  const { hosts, hosts_in_no_subnet, address_edges, listed } = row;
  if (listed === null) {
    throw tooLarge({ hosts, edges: address_edges });
  }
  const graph = sent.layer === "l3" ? l3Of(listed) : servicesOf(listed);
  if (graph.edges.length > topologyBounds.edges) {
    throw tooLarge({ hosts, edges: graph.edges.length });
  }
  return toTopology(graph, { hosts, hosts_in_no_subnet }, sent);
}
