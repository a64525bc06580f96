import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { TenantSession } from "../database/session.ts";
import { ingest, ingestViolations } from "../discovery/ingest/ingest.ts";
import type { Report } from "../discovery/report.ts";
import { authenticate } from "../http/authenticate.ts";
import { bodyBounds, boundsWithChildren } from "../http/body/large-bodies.ts";
import { mayFail } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { recordPath } from "../http/input/id.ts";
import { IssueList, validationFailed } from "../http/validation/issues.ts";
import { validate } from "../http/validation/validate.ts";
import { uuidV7 } from "../uuid.ts";
import { importBody } from "./input.ts";
import { lldpcliBody, neighborReport } from "./lldpcli.ts";
import type { ImportResult } from "./model.ts";
import { nmapForm } from "./nmap-form.ts";
import { reportOf } from "./to-report.ts";

/**
 * The limits of imports. Parsing an import takes several times its size in memory, so an isolate
 * parses one import at a time. In the meantime, the database can process another import of at most
 * 1 MiB, and others can arrive.
 */
export const importBounds = bodyBounds({
  bytes: 8 * 1024 * 1024,
  members: 500_000,
  arriving: { perOrganization: 1, perIsolate: 3 },
  underWay: { perOrganization: 1, perIsolate: 2 },
  turns: 1,
});

/** The maximum time by which a scanner's clock may be ahead, in milliseconds. */
export const maximumSkew = 60_000;

const flag = (name: string) =>
  z
    .enum(["true", "false"], { error: `must be true or false, given once, as in ?${name}=true` })
    .transform((text) => text === "true")
    .pipe(z.boolean())
    .default(false);

/** A function that ingests a report in the database, called in SQL. */
type IngestCall = (parameters: { discoveryId: string; report: SQL }) => SQL;

/** Runs an import and returns its outcome. */
async function runImport(
  tenant: TenantSession,
  report: Report,
  { dryRun, call }: { dryRun: boolean; call: IngestCall },
): Promise<ImportResult> {
  const discoveryId = uuidV7();
  const { counts, hosts } = await ingest(async (parameter) => {
    const called = call({ discoveryId, report: sql`${parameter}::jsonb` });
    const [{ rows }] = await tenant.run(
      (database) => [database.execute<{ result: unknown }>(sql`select ${called} as result`)],
      { violations: ingestViolations, isLong: true, isRead: dryRun, ifUnknown: "repeat" },
    );
    return rows[0]?.result;
  }, report);
  return {
    discovery_id: dryRun ? null : discoveryId,
    dry_run: dryRun,
    counts,
    hosts: hosts.map((host) => ({ ...host, issues: [...host.issues] })),
  };
}

/**
 * POST /api/v1/networks/{id}/imports: imports a report of observed hosts (API contract, section
 * 10).
 */
export const createImport = factory.createHandlers(
  authenticate("Member"),
  validate(
    { param: recordPath, query: z.strictObject({ dry_run: flag("dry_run") }), json: importBody },
    { bounds: importBounds, otherForm: nmapForm },
  ),
  mayFail("entity_not_found", "request_conflict", "request_malformed_xml"),
  async (c) => {
    const { id } = c.req.valid("param");
    const { dry_run: dryRun } = c.req.valid("query");
    const body = c.req.valid("json");
    refuseFuture(body.observed_at);
    const call: IngestCall = ({ discoveryId, report }) =>
      sql`app.ingest(${id}, ${discoveryId}, 'Import', ${report}, ${dryRun})`;
    return ok(c, await runImport(c.var.tenant, reportOf(body), { dryRun, call }));
  },
);

/**
 * POST /api/v1/hosts/{id}/imports: imports the neighbors of a host from the output of lldpcli (API
 * contract, section 10).
 */
export const createHostImport = factory.createHandlers(
  authenticate("Member"),
  validate(
    {
      param: recordPath,
      query: z.strictObject({ dry_run: flag("dry_run"), complete: flag("complete") }),
      json: lldpcliBody,
    },
    { bounds: boundsWithChildren },
  ),
  mayFail("entity_not_found", "request_conflict"),
  async (c) => {
    const { id } = c.req.valid("param");
    const { dry_run: dryRun, complete: isComplete } = c.req.valid("query");
    const neighbors = neighborReport(c.req.valid("json"), { hostId: id, isComplete });
    const call: IngestCall = ({ discoveryId, report }) =>
      sql`app.ingest_by_name(${id}, ${discoveryId}, ${report}, ${dryRun})`;
    return ok(c, await runImport(c.var.tenant, neighbors, { dryRun, call }));
  },
);

function refuseFuture(observedAt: string | null): void {
  if (observedAt !== null && Date.parse(observedAt) > Date.now() + maximumSkew) {
    const message = "must not be in the future: check the scanner's clock";
    throw validationFailed(IssueList.of({ path: "body.observed_at", message, code: "custom" }));
  }
}
