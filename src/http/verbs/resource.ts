import type { SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Context } from "hono";
import type * as z from "zod";
import { type Columns, recordsOf, smallRecordOf } from "../../database/collection.ts";
import { pick } from "../../database/columns-of.ts";
import type { Database } from "../../database/connection.ts";
import type { Violations } from "../../database/failure.ts";
import type { Guard } from "../../database/guards.ts";
import type { Versions } from "../../database/history.ts";
import type { OwnValues } from "../../database/write-own.ts";
import type { ErrorCode } from "../../errors/errors.ts";
import type { Role } from "../../roles.ts";
import type { TenantEnv } from "../factory.ts";
import type { OrderFields } from "../input/order.ts";
import type { TabularSource } from "../list/listing.ts";
import type { Scope } from "../scope.ts";

/** The parameters of a list that change how its records are read. */
export interface Variant {
  /** Of records with history; others have live ones only. */
  versions: Versions;
}

/** The parameters by which callers of a list choose a variant. */
export type VariantQuery = Readonly<Record<string, z.ZodType>>;

/** A resource: where its records are, and how callers see them. */
export interface Resource<
  Read extends Columns,
  Item,
  Fields extends OrderFields = OrderFields,
  Query extends VariantQuery = VariantQuery,
> extends TabularSource<Read, Item> {
  /** The path of the collection. */
  path: string;
  orderFields: Fields;
  variantQuery?: Query;
  /** The resource as it is read for a variant. */
  variant?(chosen: Variant): TabularSource<Read, Item>;
}

/** A row of `recordsOf`. */
export type RecordRow = Record<string, unknown> & { etag: string; is_large?: boolean };

/** The record in a row, as callers see it. */
export const itemOf = <Read extends Columns, Item>(
  { columns, toItem }: Pick<Resource<Read, Item>, "columns" | "toItem">,
  row: RecordRow,
): Item => toItem(pick(columns, row));

/** The record with an id and its `etag`; nothing else of one that is large, and so sent in parts. */
export const shownRecord = <Read extends Columns, Item>(
  resource: Resource<Read, Item>,
  id: string,
): SQL => (resource.inParts ? smallRecordOf(resource, id) : recordsOf(resource, [id]));

/** What a verb does to the database, in one transaction with what refuses it. */
export interface Change {
  /** Locks all that the change writes, first of all; without them, the record itself is locked. */
  locks?: readonly SQL[];
  /** Checked in this order, after those that every resource shares. */
  guards: readonly Guard[];
  write(database: Database): readonly BatchItem<"pg">[];
  /** Checked in this order once all is written, which they undo. */
  finally?: readonly Guard[];
}

/** What a verb writes in the own columns of a record: one statement locks it, judges If-Match and reads it back. */
export interface OwnChange {
  /** Checked before the record is locked: what they find, a constraint must hold at the same moment. */
  guards: readonly Guard[];
  set: OwnValues;
}

/** Records that are rows of one table and nothing else: one statement creates them and reads them back. */
export interface OwnCreation {
  guards: readonly Guard[];
  /** The insert, without its `returning`. */
  insert: SQL;
}

/** Who may change a resource, and what can go wrong. */
export interface ChangeOptions<Code extends ErrorCode> {
  role: Role;
  scope: Scope;
  /** The errors of the change itself, beyond those of the verb. */
  errors: readonly Code[];
  violations?: Violations | undefined;
}

/** The context of a handler behind `authenticate`. */
export type TenantContext = Context<TenantEnv>;
