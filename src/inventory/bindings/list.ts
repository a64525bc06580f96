import * as z from "zod";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { factory } from "../../http/factory.ts";
import { id } from "../../http/input/id.ts";
import { pageQuery } from "../../http/input/page.ts";
import { searchText } from "../../http/input/text.ts";
import { timestamp } from "../../http/input/timestamp.ts";
import { ids } from "../../http/list/filter.ts";
import { chosenForm, respondPage, sentInForms } from "../../http/list/page.ts";
import { streamList } from "../../http/list/stream.ts";
import { validate } from "../../http/validate.ts";
import { bindingSchema } from "./model.ts";
import { snapshotOf } from "./snapshot.ts";
import { type BindingPageRow, livePage, pageAt, timestampOf } from "./sql.ts";

const query = z.strictObject({
  ids: ids.optional(),
  q: searchText.optional(),
  service_id: id.optional(),
  network_id: id.optional(),
  port_id: id.optional(),
  ip_address_id: id.optional(),
  at: timestamp.optional(),
  ...pageQuery,
});

/** GET /api/v1/bindings: lists bindings, live or as of an instant (API contract, section 5). */
export const listBindings = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query }),
  handles(sentInForms),
  async (c) => {
    const shown = { form: chosenForm(c), schema: bindingSchema };
    const { limit, offset, at, ...filters } = c.req.valid("query");
    if (limit === 0) {
      return streamList(c, shown, { limit, offset }, (signal) =>
        snapshotOf(c.var.tenant, filters, { at, offset, signal }),
      );
    }
    const range = { limit, offset };
    const page =
      at === undefined
        ? livePage(filters, range)
        : pageAt(filters, { at: timestampOf(at), ...range });
    const [{ rows }] = await c.var.tenant.run((database) => [
      database.execute<BindingPageRow>(page),
    ]);
    const found = rows.flatMap(({ total_count: _, etag = "", ...binding }) =>
      binding.id === null ? [] : [{ binding, etag }],
    );
    return respondPage(c, shown, {
      data: found.map(({ binding }) => binding),
      pagination: { total_count: rows[0]?.total_count ?? 0, limit, offset },
      at: at ?? null,
      etags: at === undefined ? found.map(({ etag }) => etag) : undefined,
    });
  },
);
