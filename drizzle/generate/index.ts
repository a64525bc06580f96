import { getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { entities } from "../../src/database/collection.ts";
import { type Kind, kinds } from "../../src/database/tables/kinds.ts";
import { type MemberSet, milestones, type OwnerColumn, owners, records, sets } from "../records.ts";
import { changeKinds, labels } from "./changes.ts";
import { recordCountRules } from "./counts.ts";
import {
  boundFunctions,
  historyFunctions,
  historyRules,
  memberHistoryFunctions,
  memberHistoryRules,
} from "./history.ts";
import { ingestFunctions } from "./ingest.ts";
import { lockRecords } from "./locks.ts";
import { maximumFunctions } from "./maximums.ts";
import { milestoneRules, reachMilestones } from "./milestones.ts";
import { partRules } from "./parts.ts";
import {
  auditFunction,
  auditSet,
  auditSetRules,
  boundRecords,
  limitedKeyRules,
  missing,
  recordRules,
} from "./records.ts";
import { reviseFunction, reviseRules } from "./revisions.ts";
import { keyNameRules, readiness, sealedTables } from "./sealing.ts";
import { sweepFunctions } from "./sweeps.ts";
import type { GeneratedFunction } from "./text.ts";

const all = { ...kinds, ...records };

const tableOf = (column: OwnerColumn): PgTable => all[owners[column]].table;

/**
 * The columns that reference the records whose revisions are incremented when a record of this kind changes.
 */
const ownersOf = ({ parent, owners: others = [] }: Kind): OwnerColumn[] =>
  parent === "host_id" ? [parent, ...others] : [...others];

const owningColumns = [
  ...new Set([
    ...Object.values(kinds).flatMap(ownersOf),
    ...sets.flatMap(({ owners: columns }) => columns),
  ]),
];

/** The kind of record that a set belongs to, if it does not have history. */
const ownerOf = ({ owners: [column] }: MemberSet) =>
  Object.entries(records).find(([entity]) => owners[column] === entity);

/** The kind of record without history that the audit log names when a set changes. */
const auditedOwner = (set: MemberSet) => (set.field === undefined ? undefined : ownerOf(set));

/** The functions of `app` that are generated from the declarations. */
export const generatedFunctions: readonly GeneratedFunction[] = [
  ...Object.values(kinds).flatMap(historyFunctions),
  ...Object.values(kinds).flatMap(boundFunctions),
  ...sets.flatMap(({ table, owners: [column], hasHistory }) =>
    hasHistory ? memberHistoryFunctions(table, column, tableOf(column)) : [],
  ),
  ...owningColumns.map((column) =>
    reviseFunction({
      table: tableOf(column),
      column,
      hasVersionedMembers: Object.values(kinds).some((kind) => ownersOf(kind).includes(column)),
    }),
  ),
  changeKinds(kinds),
  labels(kinds, records),
  missing(entities.map((entity) => [entity, all[entity]])),
  ...Object.entries(records).flatMap(([entity, record]) => auditFunction(entity, record)),
  auditSet(
    Object.entries(records).filter(([entity]) =>
      sets.some((set) => auditedOwner(set)?.[0] === entity),
    ),
  ),
  boundRecords(Object.values(records).filter(({ maximum }) => maximum !== undefined)),
  reachMilestones,
  ...ingestFunctions,
  ...sweepFunctions,
  ...maximumFunctions,
  lockRecords,
  readiness,
];

function kindRules(kind: Kind): string[] {
  const owningTables = ownersOf(kind).map(tableOf);
  return [
    partRules(kind),
    historyRules(kind),
    recordCountRules(kind.table),
    owningTables.length === 0 ? "" : reviseRules(kind.table, owningTables, { isVersioned: true }),
  ];
}

function setRules(set: MemberSet): string[] {
  const owner = ownerOf(set);
  const audited = auditedOwner(set);
  return [
    owner === undefined ? "" : limitedKeyRules(set, owner[1]),
    set.hasHistory ? memberHistoryRules(set.table) : "",
    reviseRules(set.table, set.owners.map(tableOf), { isVersioned: false }),
    audited === undefined ? "" : auditSetRules(set, audited),
  ];
}

/** Returns the generated triggers and constraints of a table; empty if there are none. */
export function generatedRules(table: string): string {
  const isTable = (one: { table: PgTable }) => getTableName(one.table) === table;
  return [
    ...Object.values(kinds).filter(isTable).flatMap(kindRules),
    ...Object.entries(records).flatMap(([entity, record]) =>
      isTable(record) ? [recordRules(entity, record)] : [],
    ),
    ...sets.filter(isTable).flatMap(setRules),
    ...(milestones.some(isTable) ? [milestoneRules(table)] : []),
    ...sealedTables.filter((one) => isTable({ table: one })).map(keyNameRules),
  ]
    .filter((section) => section !== "")
    .join("\n");
}
