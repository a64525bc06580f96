import { NeonDbError } from "@neondatabase/serverless";
import * as z from "zod";
import { ApiError, isErrorCode, parseApiError } from "../http/errors.ts";

/** Seconds after which a caller may try again when the database did not answer. */
const retryAfterSeconds = 5;

/** Who asked, as the gate found out. */
export interface Caller {
  key_id: string;
  organization_id: string;
}

/**
 * All that may be known of a failure of the database outside this module. The original error is
 * dropped on purpose: drivers put SQL and parameters into its message.
 */
export class DatabaseFailure extends Error {
  override readonly name = "DatabaseFailure";
  readonly sqlstate: string | null;
  readonly caller: Caller | null;

  constructor(sqlstate: string | null, caller: Caller | null = null) {
    super("The database did not answer as asked.");
    this.sqlstate = sqlstate;
    this.caller = caller;
  }
}

/** What `app.abort` says in the error's detail (migration `tenancy`). */
const abortDetail = z
  .string()
  .transform((text, { issues }): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      issues.push({ code: "custom", input: text });
      return z.NEVER;
    }
  })
  .pipe(
    z.object({
      code: z.string().refine(isErrorCode),
      params: z.record(z.string(), z.unknown()),
      key_id: z.guid().nullable(),
      organization_id: z.guid().nullable(),
    }),
  );

/** The SQLSTATE of `app.abort`. */
const aborted = "INV01";

/** Two changes met: serialization_failure, deadlock_detected. */
const conflicts = new Set(["40001", "40P01"]);

/**
 * The database cannot: connections (08), its own refusal to let us in (28, 3D), resources (53),
 * locks that were not had in time, operator intervention, which includes the statement timeout
 * (57), the system below it (58), errors of its own or of Neon's control plane (XX).
 */
const unavailable = /^(08|28|3D|53|57|58|XX|55P03)/;

/** Foreign keys of a record that vanished between its check and its use. */
const references: Readonly<Record<string, { entity: string; field: string }>> = {
  credential_tags_tag_fk: { entity: "Tag", field: "tags" },
  credential_networks_network_fk: { entity: "Network", field: "assigned_network_ids" },
  credential_hosts_host_fk: { entity: "Host", field: "host_assignments.host_id" },
  credential_host_ip_addresses_address_fk: {
    entity: "IPAddress",
    field: "host_assignments.ip_address_ids",
  },
};

/**
 * Turns what a batch threw into what may leave this folder: an error of the catalogue, or a
 * {@link DatabaseFailure}, which is a bug of ours.
 */
export function translateFailure(error: unknown): ApiError | DatabaseFailure {
  if (!(error instanceof NeonDbError)) {
    // The driver throws raw TypeErrors, SyntaxErrors and DOMExceptions for answers that are cut
    // short, are not JSON, or came after the deadline.
    return serviceUnavailable(new DatabaseFailure(null));
  }
  const { code, constraint } = error;
  // Neon sends an empty code where Postgres gave none.
  if (!code || unavailable.test(code)) {
    return serviceUnavailable(new DatabaseFailure(code || null));
  }
  if (code === aborted) {
    return abortion(error.detail);
  }
  const cause = new DatabaseFailure(code);
  if (conflicts.has(code)) {
    return new ApiError("request_conflict", {}, { cause });
  }
  const reference = constraint === undefined ? undefined : references[constraint];
  if (code === "23503" && reference) {
    return new ApiError("entity_reference_invalid", reference, { cause });
  }
  return cause;
}

function abortion(detail: string | undefined): ApiError | DatabaseFailure {
  const parsed = abortDetail.safeParse(detail);
  if (!parsed.success) {
    return new DatabaseFailure(aborted);
  }
  const { code, params, key_id, organization_id } = parsed.data;
  const caller = key_id && organization_id ? { key_id, organization_id } : null;
  const cause = new DatabaseFailure(aborted, caller);
  return parseApiError(code, params, { cause }) ?? cause;
}

const serviceUnavailable = (cause: DatabaseFailure) =>
  new ApiError("service_unavailable", { retry_after_seconds: retryAfterSeconds }, { cause });

/** The failure of the database behind an error, if one is. */
export function databaseFailureBehind(error: unknown): DatabaseFailure | null {
  if (error instanceof DatabaseFailure) {
    return error;
  }
  return error instanceof Error && error.cause !== undefined
    ? databaseFailureBehind(error.cause)
    : null;
}
