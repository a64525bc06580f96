import { sql } from "drizzle-orm";
import * as z from "zod";
import { bindings } from "../../database/tables/index.ts";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { factory } from "../../http/factory.ts";
import { id } from "../../http/input/id.ts";
import { creationOf, orderOf, orderQuery } from "../../http/input/order.ts";
import { checkWalk, walkQuery } from "../../http/input/page.ts";
import { searchText } from "../../http/input/text.ts";
import { timestamp } from "../../http/input/timestamp.ts";
import { answerList } from "../../http/list/answer-list.ts";
import { filterQuery, ids } from "../../http/list/filter.ts";
import { walkedHistory } from "../../http/list/page.ts";
import { validate } from "../../http/validation/validate.ts";
import { seenFilters } from "../../http/verbs/historical.ts";
import { isNarrow, matchingAt, matchingLive } from "./matching.ts";
import { bindingResource } from "./model.ts";
import { snapshotOf } from "./snapshot.ts";
import { livePage, pageAt } from "./sql.ts";

const query = z
  .strictObject({
    ids: ids.optional(),
    q: searchText.optional(),
    service_id: id.optional(),
    network_id: id.optional(),
    port_id: id.optional(),
    ip_address_id: id.optional(),
    host_id: id.optional(),
    ...filterQuery(seenFilters(bindings)),
    ...orderQuery(bindingResource.orderFields),
    at: timestamp.optional(),
    ...walkQuery,
  })
  .check((payload) => checkWalk(payload));

/**
 * GET /api/v1/bindings: lists bindings, live or as of an instant (API contract, section 5). Their usual order has
 * statements of its own, as nothing else is listed so often; other orders are read as those of other lists.
 */
export const listBindings = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query }),
  handles(walkedHistory),
  (c) => {
    const sent = c.req.valid("query");
    const { limit: _, offset: __, cursor: ___, at, ...rest } = sent;
    const { group_by, order_by, order_direction, ...filters } = rest;
    const order = { group_by, order_by, order_direction };
    const isUsual = creationOf(order) === "asc";
    // A cursor is bound to what was sent: one from before this list had a direction goes on.
    const listed = isUsual ? { ...sent, order_direction: undefined } : sent;
    return answerList(
      c,
      {
        path: bindingResource.path,
        hasHistory: true,
        creation: creationOf(order),
        listing: (versions) => ({
          source: bindingResource.variant?.({ versions }) ?? bindingResource,
          selection: {
            matches: [
              versions.kind === "live"
                ? sql`true${matchingLive(filters)}`
                : sql`true${matchingAt(filters, sql`${versions.at}::timestamptz`)}`,
            ],
            order: orderOf(bindingResource.orderFields, "live_id", order, versions),
            findsFirst: isNarrow(filters),
          },
        }),
        ...(isUsual && {
          page: (versions, range) =>
            versions.kind === "live"
              ? livePage(filters, range)
              : pageAt(filters, { at: sql`${versions.at}::timestamptz`, ...range }),
          everything: ({ offset, signal }) =>
            snapshotOf(c.var.tenant, filters, { at, offset, signal }),
        }),
      },
      listed,
    );
  },
);
