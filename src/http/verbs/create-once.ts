import { getTableName, type SQL, sql } from "drizzle-orm";
import { type Columns, recordsOf } from "../../database/collection.ts";
import { ReplayedRequest } from "../../database/database-failure.ts";
import { conflict, type Violations } from "../../database/failure.ts";
import { abortOnAny, idTaken, type PathOf, passes } from "../../database/guards.ts";
import { keyRingOf } from "../../database/sealing.ts";
import { insertOwn } from "../../database/write-own.ts";
import { ApiError } from "../../errors/errors.ts";
import { nullIfTooLarge } from "../list/chunk-size.ts";
import {
  type Change,
  guardedWrites,
  type OwnCreation,
  type RecordRow,
  type Resource,
  type TenantContext,
} from "./resource.ts";

interface Creation {
  ids: readonly string[];
  /**
   * True (the default) if the caller may have chosen some of the ids, which may therefore already
   * be in use.
   */
  areChosen?: boolean;
  pathOf: PathOf;
  idempotencyKey: string | undefined;
  change: Change | OwnCreation;
  violations: Violations | undefined;
  /**
   * Reads the records that an earlier request created; by default, `recordsOf`, which suits records
   * that cannot become large.
   */
  readAgain?: ((ids: readonly string[]) => SQL) | undefined;
}

/** The records created by this request, or by an earlier request with the same Idempotency-Key. */
export interface Created {
  ids: readonly string[];
  /** Empty if an earlier request's records are too large to be read at once. */
  rows: RecordRow[];
  isTooLarge: boolean;
  /** True if an earlier request with the same Idempotency-Key created them. */
  isReplayed: boolean;
}

/**
 * Creates records, once for each Idempotency-Key. The key is stored in the same transaction: a
 * second request with the same key waits for the first request, and then makes a second call to
 * read the first request's records in their current state.
 */
export async function createOnce<Read extends Columns, Item>(
  c: TenantContext,
  resource: Resource<Read, Item>,
  { ids, areChosen = true, pathOf, idempotencyKey, change, violations, readAgain }: Creation,
): Promise<Created> {
  const isOwn = "insert" in change;
  const guards = [...(areChosen ? [idTaken(resource, ids, pathOf)] : []), ...change.guards];
  const claim = idempotencyKey === undefined ? null : await claimOf(c, idempotencyKey, ids);
  try {
    const [{ rows }] = await c.var.tenant.run(
      (database) => [
        database.execute<RecordRow>(
          isOwn
            ? insertOwn(resource, ids, change.insert(passes(guards)))
            : recordsOf(resource, ids),
        ),
      ],
      {
        violations: { ...violations, ...takenIds(resource, ids) },
        ifUnknown: "repeat_with_same_key",
        first: (database) => [
          ...(claim ? [database.execute(claim)] : []),
          ...(isOwn
            ? []
            : [
                ...(change.locks ?? []).map((lock) => database.execute(lock)),
                ...guardedWrites(database, change, guards),
                ...abortOnAny(database, change.finally),
              ]),
        ],
      },
    );
    return { ids, rows, isTooLarge: false, isReplayed: false };
  } catch (error) {
    if (!(error instanceof ReplayedRequest)) {
      throw error;
    }
    const ids = error.recordIds;
    const read = readAgain?.(ids) ?? recordsOf(resource, ids);
    const answer = await c.var.tenant
      .run((database) => [database.execute<RecordRow>(read)])
      .catch(nullIfTooLarge);
    const rows = answer?.[0].rows ?? [];
    return { ids, rows, isTooLarge: answer === null, isReplayed: true };
  }
}

/**
 * The error for an id that was taken between the guard and the write, or that belongs to a record
 * that the caller cannot see.
 */
const takenIds = (
  { table, entity }: Pick<Resource<Columns, unknown>, "table" | "entity">,
  ids: readonly string[],
): Violations => ({
  [`${getTableName(table)}_pk`]: (cause) => {
    const [id, ...others] = ids;
    return id === undefined || others.length > 0
      ? conflict(cause)
      : new ApiError("entity_already_exists", { entity, field: "body.id", id }, { cause });
  },
});

/** The header of a successful response whose records an earlier request created. */
export const replayHeader = { "Idempotent-Replayed": "true" } as const;

/** Sets the header if an earlier request created the records. */
export function markReplay(c: TenantContext, { isReplayed }: Pick<Created, "isReplayed">): void {
  if (isReplayed) {
    c.header("Idempotent-Replayed", replayHeader["Idempotent-Replayed"]);
  }
}

/**
 * Returns the statement that stores an Idempotency-Key with its operation. The statement stores
 * only a digest of the body, keyed with the sealing keys, since bodies can contain secrets that are
 * easy to guess.
 */
async function claimOf(c: TenantContext, key: string, ids: readonly string[]) {
  const operation = `${c.req.method} ${c.req.path}`;
  const digests = await keyRingOf(c.var.settings).digests(`${operation}\n${c.var.bodyHash}`);
  return sql`select app.claim_idempotency(${key}, ${operation},
    ${sql.param(digests.map((digest) => `\\x${digest}`))}::bytea[], ${sql.param(ids)}::uuid[])`;
}
