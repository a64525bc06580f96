import { getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { versioned } from "./history.ts";
import type { Kind } from "./kinds.ts";

/** A table's columns that Postgres does not generate, in declaration order. */
export const writtenColumns = (table: PgTable): string[] =>
  Object.values(getTableColumns(table))
    .filter(({ generated }) => generated === undefined)
    .map(({ name }) => name);

/**
 * Columns that describe an observation of a record. They can change without a change to the record.
 */
const observed = ["last_seen_at", "last_discovery_id", "discovered", "evidence"];

/** Columns that describe a version. Changes to them do not start a version. */
const ofVersion = Object.keys(versioned()).filter((name) => name !== "network_id");

/** The columns whose changes are changes to the record. */
export const changedColumns = ({ table, silent = [] }: Kind): string[] =>
  writtenColumns(table).filter((name) => !observed.includes(name) && !silent.includes(name));

/** The columns whose changes start a version. */
export const versionColumns = (kind: Kind): string[] =>
  changedColumns(kind).filter(
    (name) => !ofVersion.includes(name) && !kind.unversioned?.includes(name),
  );
