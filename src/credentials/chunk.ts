import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { statements } from "../database/statement.ts";
import { credentials } from "../database/tables/index.ts";
import { credentialColumns, ownColumns } from "./wire.ts";

/**
 * How many bytes of JSON a chunk of a streamed list is about at most. A credential that is larger by
 * itself is a chunk of its own; it is not much larger than the body that wrote it, at most 1 MiB.
 */
const chunkBytes = 512 * 1024;

const childrenIn = (table: string): SQL =>
  sql`(select count(*) from ${sql.identifier(table)} as child
    where child.organization_id = ${credentials.organization_id}
      and child.credential_id = ${credentials.id})`;

/** About the bytes of a credential as JSON: its own row, an id per child, two keys per host. */
const bytes = sql`(350 + octet_length(${credentials.settings}::text)
  + 39 * (${childrenIn("credential_tags")} + ${childrenIn("credential_networks")}
    + ${childrenIn("credential_host_ip_addresses")})
  + 82 * ${childrenIn("credential_hosts")})`;

/** Columns of a select of credentials that tell which of them {@link fitChunk}. */
export const chunkColumns = (position: SQLWrapper) => ({
  bytes_so_far: sql<number>`sum(${bytes}) over (order by ${position})`.as("bytes_so_far"),
  rank: sql<number>`row_number() over (order by ${position})`.as("rank"),
});

/** Whether a credential still fits into the chunk. The first always does. */
export const fitChunk = (of: { bytes_so_far: SQLWrapper; rank: SQLWrapper }): SQL =>
  sql`(${of.bytes_so_far} <= ${sql.raw(String(chunkBytes))} or ${of.rank} = 1)`;

const chunk = statements(
  () => "",
  (database) => {
    const joined = database
      .select({
        ...ownColumns,
        position: sql<number>`wanted.position::int`.as("position"),
        ...chunkColumns(sql`wanted.position`),
      })
      .from(credentials)
      .innerJoin(
        sql`unnest(${sql.placeholder("ids")}::uuid[]) with ordinality as wanted (id, position)`,
        sql`wanted.id = ${credentials.id}`,
      )
      .limit(sql.placeholder("limit"))
      .as("joined");
    const own = database.select().from(joined).where(fitChunk(joined)).as("own");
    const { position, bytes_so_far: _, rank: __, ...ownOfChunk } = own._.selectedFields;
    return database
      .select({ position, credential: credentialColumns(ownOfChunk) })
      .from(own)
      .orderBy(position);
  },
);

/**
 * A chunk of the credentials with these ids that still exist, in the order of the ids, each with its
 * position among them, from 1. Those that would make the chunk too large are left away at its end.
 */
export const credentialChunk = (ids: readonly string[]) => chunk(null, { ids, limit: ids.length });
