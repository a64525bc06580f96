import * as z from "zod";
import { maximumVlan } from "../../database/tables/index.ts";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { factory } from "../../http/factory.ts";
import { choice } from "../../http/input/choice.ts";
import { ifNoneMatch } from "../../http/input/entity-tag.ts";
import { id } from "../../http/input/id.ts";
import { integerText } from "../../http/input/integer.ts";
import { instant } from "../../http/input/timestamp.ts";
import { ids } from "../../http/list/filter.ts";
import { negotiate } from "../../http/negotiate.ts";
import { validate } from "../../http/validation/validate.ts";
import { graphvizOf } from "./graphviz.ts";
import { loadTopology, takeMapSlot } from "./load.ts";
import { smallMermaidOf } from "./mermaid.ts";
import { detailLevels, layers, maximumDepth, type Topology } from "./model.ts";
import { respondMap, respondMapText } from "./respond-map.ts";

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

const header = z.object({ "if-none-match": ifNoneMatch });

/** The media types of the formats, starting with the default. */
const mediaTypes = [
  "application/json",
  "text/vnd.mermaid",
  "application/vnd.mermaid",
  "text/vnd.graphviz",
] as const;

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
    const release = sent.detail === "hosts" ? await takeMapSlot(c) : () => {};
    try {
      const map = await loadTopology(c, sent);
      const sized = { isKnown, counts: map.counts };
      return await (mediaType === "application/json"
        ? respondMap<Topology>(c, map, sized)
        : respondMapText<Topology>(c, drawn(map, mediaType), { ...sized, mediaType }));
    } finally {
      release();
    }
  },
);

/** @throws {ApiError} 409 if the map is too large for Mermaid */
const drawn = (map: Topology, mediaType: string): string =>
  mediaType === "text/vnd.graphviz" ? graphvizOf(map) : smallMermaidOf(map);
