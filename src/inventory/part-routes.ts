import { sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type * as z from "zod";
import { type Columns, isOneOf } from "../database/collection.ts";
import type { Database } from "../database/connection.ts";
import type { Guard, PathOf } from "../database/guards.ts";
import { inventoryViolations } from "../database/inventory-violations.ts";
import { lock, lockHosts } from "../database/locks.ts";
import type { ErrorCode } from "../errors/errors.ts";
import { type CreateOptions, creates, type Identified } from "../http/verbs/create.ts";
import { deletes } from "../http/verbs/delete.ts";
import { patchesMany } from "../http/verbs/patch-many.ts";
import { reads } from "../http/verbs/read.ts";
import type { Resource } from "../http/verbs/resource.ts";
import { updates } from "../http/verbs/update.ts";
import { otherOwner } from "./guards/other-owner.ts";
import type { WrittenTable } from "./writes/child-rows.ts";

/** The column that identifies a part's owner. */
type Owner = WrittenTable["owner"]["column"];

/** The body of a part: its fields, with the id of its owner. */
type PartBody<Column extends Owner> = z.ZodType<
  { id?: string | undefined } & Readonly<Record<Column, string>>
>;

interface PartOptions<Column extends Owner, Body extends z.ZodType, Code extends ErrorCode>
  extends Pick<CreateOptions<Body, Code>, "body" | "bounds" | "naturalKey" | "childIds"> {
  table: WrittenTable<Column>;
  /** The errors of POST, PUT and PATCH, in addition to those of every resource. */
  errors: readonly Code[];
  /** Returns the guards for a creation or a replacement. */
  guards(records: readonly Identified<z.output<Body>>[], pathOf: PathOf): readonly Guard[];
  insert(
    database: Database,
    records: readonly Identified<z.output<Body>>[],
  ): readonly BatchItem<"pg">[];
  replace(database: Database, record: Identified<z.output<Body>>): readonly BatchItem<"pg">[];
}

/** The hosts of parts, whose owners are hosts themselves, or services. */
function hostsOf<Column extends Owner>(
  { column, table }: WrittenTable<Column>["owner"],
  parts: readonly Readonly<Record<Column, string>>[],
) {
  const owners = parts.map((part) => part[column]);
  return column === "host_id"
    ? owners
    : sql`select owner.host_id from ${table} as owner
        where owner.id = any (${sql.param(owners)}::uuid[]) and owner.valid_to is null`;
}

/**
 * Creates the handlers for a part of a host, except for the list: GET, PUT, PATCH and DELETE for
 * `{path}/{id}`, PATCH for `{path}/bulk`, and POST for `{path}`, `{path}/bulk` and
 * `{path}/bulk-delete` (API contract, sections 7 and 9). The owner of a part cannot change. A deletion closes the live version; history
 * is kept. Also returns the options, for `upserts`.
 */
export const partRoutes = <
  Read extends Columns,
  Item extends object,
  Column extends Owner,
  Body extends PartBody<Column>,
  Code extends ErrorCode,
>(
  resource: Resource<Read, Item>,
  { table, guards, insert, replace, ...options }: PartOptions<Column, Body, Code>,
) => {
  const rules = {
    ...options,
    role: "Member",
    scope: "networks",
    violations: inventoryViolations,
  } as const;
  // Each write to a part also locks its host.
  const locks = (ids: readonly string[]) => [
    lockHosts(sql`select host_id from ${resource.table} where ${isOneOf(resource, ids)}`),
    lock(resource, ids),
  ];
  const [create, createMany, creation] = creates(resource, {
    ...rules,
    create: (_, records, pathOf) => ({
      // A single insert locks only one host.
      locks: records.length < 2 ? [] : [lockHosts(hostsOf(table.owner, records))],
      guards: guards(records, pathOf),
      write: (database) => insert(database, records),
    }),
  });
  const [update, patch, replacement] = updates(resource, {
    ...rules,
    locksOfMany: (records) => locks(records.map(({ id }) => id)),
    update: (_, id, body, path) => {
      const record = { ...body, id };
      return {
        guards: [
          otherOwner(table.table, table.owner.column, id, body[table.owner.column], path),
          ...guards([record], () => path),
        ],
        write: (database) => replace(database, record),
      };
    },
  });
  const [deleteOne, deleteMany] = deletes(resource, {
    role: "Member",
    scope: "networks",
    errors: [],
    locks,
  });
  return {
    read: reads(resource),
    ...{ create, createMany, update, patch, deleteOne, deleteMany },
    patchMany: patchesMany(resource, replacement),
    ...{ creation, replacement },
  };
};
