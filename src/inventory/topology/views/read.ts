import * as z from "zod";
import { notFound } from "../../../database/guards.ts";
import { authenticate } from "../../../http/authenticate.ts";
import { handles } from "../../../http/declares.ts";
import { factory } from "../../../http/factory.ts";
import { choice } from "../../../http/input/choice.ts";
import { ifNoneMatch } from "../../../http/input/entity-tag.ts";
import { id, recordPath } from "../../../http/input/id.ts";
import { instant } from "../../../http/input/timestamp.ts";
import { validate } from "../../../http/validation/validate.ts";
import { type Layer2Row, layer2Of } from "../l2-sql.ts";
import { loadTopology, mapTooLarge, takeMapSlot } from "../load.ts";
import { smallMermaidOf } from "../mermaid.ts";
import { respondMap } from "../respond-map.ts";
import { type TopologyRow, topologyOf } from "../sql.ts";
import { topologyDataOf } from "./build.ts";
import { layerOfView, type TopologyData, topologyViews } from "./model.ts";

/**
 * GET /api/v1/topology/data: returns the map of a network in the format of the reference (API
 * contract, section 13). Both layers are read in one database call.
 */
export const readTopologyData = factory.createHandlers(
  authenticate("Viewer"),
  validate({
    query: z.strictObject({ network_id: id, at: instant.optional() }),
    header: z.object({ "if-none-match": ifNoneMatch }),
  }),
  handles({
    errors: ["topology_too_large", "history_expired"],
    responses: { 200: ["ETag"], 304: ["ETag"] },
  }),
  async (c) => {
    const { network_id, at } = c.req.valid("query");
    const asked = { network_id: [network_id], detail: "hosts", at } as const;
    if (at !== undefined) {
      c.var.tenant.requireHistory(at, false);
    }
    const release = await takeMapSlot(c);
    try {
      const [l3, l2] = await c.var.tenant.run((database) => [
        database.execute<TopologyRow>(topologyOf({ ...asked, layer: "l3" })),
        database.execute<Layer2Row>(layer2Of({ ...asked, layer: "l2" })),
      ]);
      const [layer3, layer2] = [l3.rows[0], l2.rows[0]];
      if (!layer3?.listed || !layer2?.listed) {
        throw mapTooLarge({
          hosts: layer3?.hosts ?? 0,
          edges: Math.max(layer3?.address_edges ?? 0, layer2?.heard ?? 0),
        });
      }
      const { hosts, address_edges: edges } = layer3;
      return await respondMap<TopologyData>(c, topologyDataOf(layer3.listed, layer2.listed), {
        isKnown: c.req.valid("header")["if-none-match"],
        counts: { hosts, edges },
      });
    } finally {
      release();
    }
  },
);

/**
 * GET /api/v1/topology/{id}/export/mermaid: exports the map of a network, whose id is also that of
 * its topology, as a Mermaid flowchart (API contract, section 13).
 */
export const exportMermaid = factory.createHandlers(
  authenticate("Viewer"),
  validate({
    param: recordPath,
    query: z.strictObject({ view: choice(topologyViews).default("L3Logical") }),
  }),
  handles({ errors: ["entity_not_found", "topology_too_large"], bareType: "text/plain" }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { view } = c.req.valid("query");
    const release = await takeMapSlot(c);
    try {
      const map = await loadTopology(
        c,
        { layer: layerOfView[view], detail: "hosts", network_id: [id] },
        [notFound({ entity: "Network" }, id)],
      );
      return c.body(smallMermaidOf(map), 200, { "Content-Type": "text/plain; charset=utf-8" });
    } finally {
      release();
    }
  },
);
