import * as z from "zod";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { factory } from "../http/factory.ts";
import { pageQuery } from "../http/input/page.ts";
import { ignoredId } from "../http/input/record.ts";
import { chosenForm, respondPage, sentInForms } from "../http/list/page.ts";
import { validate } from "../http/validation/validate.ts";

/** A record of a kind that this service keeps none of. */
export const keptNowhere = z
  .object({})
  .meta({ id: "KeptNowhere", description: "A record of a kind of which there are none." });

/**
 * An empty page. Clients of other servers of this interface ask for these kinds before they show, or delete,
 * anything (API contract, section 9).
 */
const listsNone = () =>
  factory.createHandlers(
    authenticate("Viewer"),
    validate({ query: z.strictObject({ network_id: ignoredId, ...pageQuery }) }),
    handles(sentInForms),
    async (c) => {
      const form = chosenForm(c);
      await c.var.tenant.run(() => []);
      const data: z.output<typeof keptNowhere>[] = [];
      const { limit, offset } = c.req.valid("query");
      return respondPage(
        c,
        { form, schema: keptNowhere },
        {
          data,
          pagination: { total_count: 0, limit, offset, has_more: false, next_cursor: null },
          at: null,
        },
      );
    },
  );

/** GET /api/v1/dependencies: none between services. */
export const listDependencies = listsNone();

/** GET /api/v1/auth/daemon: no API keys of daemons, which present none here. */
export const listDaemonKeys = listsNone();

/** GET /api/v1/discovery: no discoveries, as scans and their schedules belong to daemons here. */
export const listDiscoveries = listsNone();
