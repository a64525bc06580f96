import { sql } from "drizzle-orm";
import * as z from "zod";
import { networks } from "../../../database/tables/index.ts";
import { authenticate } from "../../../http/authenticate.ts";
import { handles } from "../../../http/declares.ts";
import { factory } from "../../../http/factory.ts";
import { id } from "../../../http/input/id.ts";
import { computedLimit, pageQuery } from "../../../http/input/page.ts";
import { name } from "../../../http/input/text.ts";
import { chosenForm, sentInForms } from "../../../http/list/formats/accept.ts";
import { respondComputedPage } from "../../../http/list/respond-page.ts";
import { validate } from "../../../http/validation/validate.ts";
import { recordFields } from "../../../http/verbs/record.ts";
import { topologyViews } from "./model.ts";

/** The topology of a network, which has the network's id (API contract, section 13). */
export const networkTopologySchema = z
  .object({
    ...recordFields,
    network_id: id,
    name,
    views: z.array(z.enum(topologyViews)).max(topologyViews.length),
  })
  .meta({
    id: "NetworkTopology",
    description: "The topology of a network, with the network's id.",
  });
export type NetworkTopology = z.output<typeof networkTopologySchema>;

/** GET /api/v1/topologies: lists the topologies of networks, the oldest network first. */
export const listTopologies = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query: z.strictObject({ network_id: id.optional(), ...pageQuery }) }),
  handles(sentInForms),
  async (c) => {
    const form = chosenForm(c);
    const { network_id, limit, offset } = c.req.valid("query");
    const isChosen = network_id === undefined ? sql`true` : sql`${networks.id} = ${network_id}`;
    const [counted, rows] = await c.var.tenant.run((database) => [
      database.select({ count: sql<number>`count(*)::int` }).from(networks).where(isChosen),
      database
        .select({
          id: networks.id,
          created_at: networks.created_at,
          updated_at: networks.updated_at,
          name: networks.name,
        })
        .from(networks)
        .where(isChosen)
        .orderBy(networks.created_at, networks.id)
        .limit(computedLimit(limit))
        .offset(offset),
    ]);
    const data = rows.map(
      ({ name, ...row }): NetworkTopology => ({
        ...row,
        network_id: row.id,
        name,
        views: [...topologyViews],
      }),
    );
    return respondComputedPage(
      c,
      { form, schema: networkTopologySchema },
      { data, total_count: counted[0]?.count ?? 0, limit, offset },
    );
  },
);
