import { getTableName, type SQL, sql } from "drizzle-orm";
import { type Columns, recordsOf } from "../../database/collection.ts";
import { ReplayedRequest } from "../../database/database-failure.ts";
import { conflict, type Violations } from "../../database/failure.ts";
import { abortOnAny, idTaken, type PathOf } from "../../database/guards.ts";
import { keyRingOf } from "../../database/sealing.ts";
import { insertOwn } from "../../database/write-own.ts";
import { ApiError } from "../../errors/errors.ts";
import { nullIfTooLarge } from "../list/too-large.ts";
import type { Change, OwnCreation, RecordRow, Resource, TenantContext } from "./resource.ts";

interface Creation {
  ids: readonly string[];
  /** Whether the caller may have chosen some of the ids, so that another record may have one; by default yes. */
  areChosen?: boolean;
  pathOf: PathOf;
  idempotencyKey: string | undefined;
  change: Change | OwnCreation;
  violations: Violations | undefined;
  /** Reads what an earlier request created, as `recordsOf` does where records cannot grow large. */
  readAgain?: ((ids: readonly string[]) => SQL) | undefined;
}

/** The records that a request has created: now, or when it was first sent. */
export interface Created {
  ids: readonly string[];
  /** None of an earlier request's where they are too large to be read at once. */
  rows: RecordRow[];
  isTooLarge: boolean;
  /** Whether an earlier request with the same Idempotency-Key created them. */
  isReplayed: boolean;
}

/**
 * Creates records, once for each Idempotency-Key. The key is kept in the same transaction: a second
 * request with it waits for the first, and then gets the records that the first one made, as they
 * are now, in a second call.
 */
export async function createOnce<Read extends Columns, Item>(
  c: TenantContext,
  resource: Resource<Read, Item>,
  { ids, areChosen = true, pathOf, idempotencyKey, change, violations, readAgain }: Creation,
): Promise<Created> {
  const isOwn = "insert" in change;
  const claim = idempotencyKey === undefined ? null : await claimOf(c, idempotencyKey, ids);
  try {
    const [{ rows }] = await c.var.tenant.run(
      (database) => [
        database.execute<RecordRow>(
          isOwn ? insertOwn(resource, ids, change.insert) : recordsOf(resource, ids),
        ),
      ],
      {
        violations: { ...violations, ...takenIds(resource, ids) },
        ifUnknown: "repeat_with_same_key",
        first: (database) => [
          ...(claim ? [database.execute(claim)] : []),
          ...(isOwn ? [] : (change.locks ?? [])).map((lock) => database.execute(lock)),
          ...abortOnAny(database, [
            ...(areChosen ? [idTaken(resource, ids, pathOf)] : []),
            ...change.guards,
          ]),
          ...(isOwn ? [] : [...change.write(database), ...abortOnAny(database, change.finally)]),
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

/** An id that was taken between the guard and the write, or by a record that the caller cannot see. */
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

/** What tells the caller of a success that an earlier request has created the records. */
export const replayHeader = { "Idempotent-Replayed": "true" } as const;

/** Tells the caller of a success whether an earlier request has created the records. */
export function markReplay(c: TenantContext, { isReplayed }: Pick<Created, "isReplayed">): void {
  if (isReplayed) {
    c.header("Idempotent-Replayed", replayHeader["Idempotent-Replayed"]);
  }
}

/**
 * The statement that keeps an Idempotency-Key with what was asked for. Of the body only a digest
 * under the sealing keys is kept, as bodies hold secrets that can be guessed.
 */
async function claimOf(c: TenantContext, key: string, ids: readonly string[]) {
  const operation = `${c.req.method} ${c.req.path}`;
  const digests = await keyRingOf(c.var.settings).digests(`${operation}\n${c.var.bodyHash}`);
  return sql`select app.claim_idempotency(${key}, ${operation},
    ${sql.param(digests.map((digest) => `\\x${digest}`))}::bytea[], ${sql.param(ids)}::uuid[])`;
}
