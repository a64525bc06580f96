import * as z from "zod";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { factory } from "../http/factory.ts";
import { pageQuery } from "../http/input/page.ts";
import { ignoredId } from "../http/input/record.ts";
import { chosenForm, sentInForms } from "../http/list/formats/accept.ts";
import { respondComputedPage } from "../http/list/respond-page.ts";
import { validate } from "../http/validation/validate.ts";

/** A record of a kind that does not exist in this service. */
export const keptNowhere = z
  .object({})
  .meta({ id: "KeptNowhere", description: "A record of a kind that this service does not have." });

/**
 * Creates the handlers of a list that is always empty. Clients that were written for other servers
 * with this interface request such lists before they show or delete anything (API contract, section
 * 6).
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
      return respondComputedPage(
        c,
        { form, schema: keptNowhere },
        { data, total_count: 0, limit, offset },
      );
    },
  );

/** GET /api/v1/dependencies: always empty. */
export const listDependencies = listsNone();

/** GET /api/v1/auth/daemon: always empty, since daemons need no API keys. */
export const listDaemonKeys = listsNone();

/** GET /api/v1/discovery: always empty, since scans and schedules belong to daemons. */
export const listDiscoveries = listsNone();
