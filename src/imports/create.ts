import * as z from "zod";
import { ingest, ingestViolations } from "../discovery/ingest/ingest.ts";
import { authenticate } from "../http/authenticate.ts";
import { mayFail } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { recordPath } from "../http/input/id.ts";
import { IssueList, validationFailed } from "../http/issues.ts";
import type { BodyBounds } from "../http/large-bodies.ts";
import { validate } from "../http/validate.ts";
import { importBody } from "./input.ts";
import type { ImportResult } from "./model.ts";
import { reportOf } from "./report.ts";

/**
 * How large an import may be. It takes several times its size while it is parsed and sent on, so an
 * isolate holds one.
 */
export const importBounds: BodyBounds = {
  kind: "import",
  bytes: 8 * 1024 * 1024,
  members: 500_000,
  perKey: 1,
  perIsolate: 1,
};

/** So far may the clock of a scanner be ahead of ours, in milliseconds. */
export const maximumSkew = 60_000;

const importQuery = z.object({
  dry_run: z
    .enum(["true", "false"], { error: "must be true or false, given once" })
    .default("false")
    .transform((text) => text === "true"),
});

/** POST /api/v1/networks/{id}/imports: takes a report of what was seen (API contract, section 10). */
export const createImport = factory.createHandlers(
  authenticate("Member"),
  validate({ param: recordPath, query: importQuery, json: importBody }, importBounds),
  mayFail("entity_not_found", "request_conflict"),
  async (c) => {
    const { id: networkId } = c.req.valid("param");
    const { dry_run: dryRun } = c.req.valid("query");
    const body = c.req.valid("json");
    refuseFuture(body.observed_at);
    const discoveryId = crypto.randomUUID();
    const { counts, hosts } = await ingest(
      async (statement) => {
        const [{ rows }] = await c.var.tenant.run(
          (database) => [database.execute<{ result: unknown }>(statement)],
          { violations: ingestViolations },
        );
        return rows[0]?.result;
      },
      { networkId, discoveryId, sourceType: "Import", report: reportOf(body), dryRun },
    );
    const result: ImportResult = {
      discovery_id: dryRun ? null : discoveryId,
      dry_run: dryRun,
      counts,
      hosts: hosts.map((host) => ({ ...host, issues: [...host.issues] })),
    };
    return ok(c, result);
  },
);

function refuseFuture(observedAt: string | null): void {
  if (observedAt !== null && Date.parse(observedAt) > Date.now() + maximumSkew) {
    const message = "must not lie in the future: check the clock of what looked";
    throw validationFailed(IssueList.of({ path: "body.observed_at", message, code: "custom" }));
  }
}
