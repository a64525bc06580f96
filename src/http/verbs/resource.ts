import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Context } from "hono";
import type * as z from "zod";
import { type Columns, recordWith, smallRecordWith } from "../../database/collection.ts";
import { pick } from "../../database/columns-of.ts";
import type { Database } from "../../database/connection.ts";
import type { Violations } from "../../database/failure.ts";
import { abortOnAny, type Guard, passes } from "../../database/guards.ts";
import type { Versions } from "../../database/history.ts";
import type { OwnValues } from "../../database/write-own.ts";
import type { ErrorCode } from "../../errors/errors.ts";
import type { Role } from "../../roles.ts";
import type { TenantEnv } from "../factory.ts";
import type { OrderFields } from "../input/order.ts";
import type { TabularSource } from "../list/source.ts";
import type { Scope } from "../scope.ts";

/** The list parameters that change how records are read. */
export interface Variant {
  /** The versions to read, for records with history. Other records have only live versions. */
  versions: Versions;
  /** The instant that the request names, for which a list can also read live versions. */
  at?: string | undefined;
  /** The fields to return, so that the others need not be read; undefined for all fields. */
  fields?: readonly string[] | undefined;
}

/** The query parameters that select a variant. */
export type VariantQuery = Readonly<Record<string, z.ZodType>>;

/** A resource: its table, columns and response format. */
export interface Resource<
  Read extends Columns,
  Item,
  Fields extends OrderFields = OrderFields,
  Query extends VariantQuery = VariantQuery,
> extends TabularSource<Read, Item> {
  path: string;
  orderFields: Fields;
  variantQuery?: Query;
  /** The resource for a variant. */
  variant?(chosen: Variant): TabularSource<Read, Item>;
}

/** A row of `recordWith`. */
export type RecordRow = Record<string, unknown> & { etag: string; is_large?: boolean };

/** Converts a row to a record for the response. */
export const itemOf = <Read extends Columns, Item>(
  { columns, toItem }: Pick<Resource<Read, Item>, "columns" | "toItem">,
  row: RecordRow,
): Item => toItem(pick(columns, row));

/**
 * Selects a record with its `etag`. A large record, which is sent in parts, has only its `etag`.
 */
export const shownRecord = <Read extends Columns, Item>(
  resource: Resource<Read, Item>,
  id: string,
): SQL => (resource.inParts ? smallRecordWith(resource, id) : recordWith(resource, id));

/** The locks, guards and writes of a verb, in one transaction. */
export interface Change {
  /**
   * Statements that lock every row that the change writes, before anything else. By default, the
   * record itself is locked. If there are none, `writeIf` locks the record, after the guards, so a
   * constraint must enforce the same rules.
   */
  locks?: readonly SQL[];
  /** Checked in this order, after the guards that every resource shares. */
  guards: readonly Guard[];
  /**
   * A statement that writes the records themselves under a condition that checks the guards. If it
   * is undefined, a separate statement checks them.
   */
  writeIf?(passed: SQL): SQL;
  /** Returns the writes that run after `writeIf`. */
  write(database: Database): readonly BatchItem<"pg">[];
  /** Checked in this order after the writes; a failure rolls them back. */
  finally?: readonly Guard[];
}

/**
 * Returns the statements that check the guards of a change, and then write.
 * @param expected a further condition for `writeIf`, on the locked record
 */
export const guardedWrites = (
  database: Database,
  { writeIf, write }: Pick<Change, "writeIf" | "write">,
  guards: readonly Guard[],
  expected = sql`true`,
): readonly BatchItem<"pg">[] => [
  ...(writeIf
    ? [database.execute(writeIf(sql`${expected} and ${passes(guards)}`))]
    : abortOnAny(database, guards)),
  ...write(database),
];

/**
 * A change that affects only a record's own columns: one statement locks the record, checks
 * If-Match, writes the record and reads it back.
 */
export interface OwnChange {
  /** Checked before the record is locked, so a constraint must enforce the same rules. */
  guards: readonly Guard[];
  set: OwnValues;
}

/**
 * A change by a database function that does everything up to the read: it locks the record, fails
 * if the record does not exist or does not have one of these entity tags, checks the request, and
 * replaces the record.
 */
export interface CheckedChange {
  /** @param tags the entity tags of If-Match; undefined if any tag is allowed */
  replace(tags: readonly string[] | undefined): SQL;
}

/**
 * The creation of records that are rows of a single table: one statement creates them and reads
 * them back.
 */
export interface OwnCreation {
  guards: readonly Guard[];
  /** Returns an insert that runs only if `passed` is true, without a `returning` clause. */
  insert(passed: SQL): SQL;
}

/** The permissions and errors of a change. */
export interface ChangeOptions<Code extends ErrorCode> {
  role: Role;
  scope: Scope;
  /** The errors of the change, in addition to the verb's errors. */
  errors: readonly Code[];
  violations?: Violations | undefined;
}

/** The context of a handler behind `authenticate`. */
export type TenantContext = Context<TenantEnv>;
