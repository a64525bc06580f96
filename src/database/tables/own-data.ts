import { sql } from "drizzle-orm";
import {
  check,
  type ExtraConfigColumn,
  jsonb,
  type PgColumn,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { upTo } from "./checks.ts";
import { sortableText } from "./columns.ts";

/** Maximum number of characters of an external id. */
export const maximumExternalId = 200;

/** Maximum number of keys in metadata. The function `app.is_metadata` has the same limits. */
export const maximumMetadataKeys = 50;

/** Maximum number of characters of a text in metadata. */
export const maximumMetadataText = 500;

/**
 * The columns for data that callers keep with a record (API contract, section 7): the record's id
 * in another system, and texts by key.
 */
export const ownData = () => ({
  external_id: sortableText(),
  metadata: jsonb().$type<Record<string, string>>().notNull().default({}),
});

export type OwnData = Record<
  keyof ReturnType<typeof ownData> | "organization_id",
  ExtraConfigColumn & PgColumn
>;

/** True for records with an external id. Only they are in the indexes of external ids. */
export const hasExternalId = sql`external_id is not null`;

/** The checks of {@link ownData}. */
export const ownDataChecks = (name: string, { external_id, metadata }: OwnData) => [
  check(
    `${name}_external_id_check`,
    sql`${upTo(external_id, maximumExternalId)} and ${external_id} !~ ${sql.raw(
      String.raw`'[\u0001-\u001f\u007f-\u009f]'`,
    )}`,
  ),
  // Most records have no metadata: the comparison saves the call.
  check(`${name}_metadata_check`, sql`${metadata} = '{}' or app.is_metadata(${metadata})`),
];

/** The constraints of {@link ownData} for a kind of record without history. */
export const ownDataRules = (name: string, table: OwnData) => [
  ...ownDataChecks(name, table),
  uniqueIndex(`${name}_external_id_unique`)
    .on(table.organization_id, table.external_id)
    .where(hasExternalId),
];
