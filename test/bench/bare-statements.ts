import { and, count, desc, eq, isNull, sql, sum } from "drizzle-orm";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type pg from "pg";
import {
  bindings,
  countDeltas,
  credentialHosts,
  credentialNetworks,
  credentialSecrets,
  credentials,
  credentialTags,
  daemons,
  organizations,
  tags,
} from "../../src/database/tables/index.ts";
import { idOf } from "./scene.ts";

/** The organization that the measured requests belong to. */
const organization_id = idOf("organization", 2);
const credential_id = idOf("credential", 2, 0);
const daemon_id = idOf("daemon", 2, 0);

/** Aggregates a column of an assignment table for each credential. */
const assigned = (
  table: typeof credentialTags | typeof credentialNetworks | typeof credentialHosts,
  column: string,
) => sql<string[]>`array(select member.${sql.identifier(column)} from ${table} as member
  where member.organization_id = credentials.organization_id
    and member.credential_id = credentials.id)`;

/**
 * The minimum set of statements that an operation needs, prepared once on a connection: reads and
 * writes by primary key, without a gate, policies, checks, history, audit entries or an entity tag.
 */
function bareStatements(database: NodePgDatabase): Record<string, () => Promise<unknown>> {
  const ofCredential = (table: typeof credentialTags | typeof credentialSecrets) =>
    and(eq(table.organization_id, organization_id), eq(table.credential_id, credential_id));
  const listCredentials = database
    .select({
      id: credentials.id,
      created_at: credentials.created_at,
      updated_at: credentials.updated_at,
      name: credentials.name,
      settings: credentials.settings,
      tags: assigned(credentialTags, "tag_id"),
      networks: assigned(credentialNetworks, "network_id"),
      hosts: assigned(credentialHosts, "host_id"),
    })
    .from(credentials)
    .where(eq(credentials.organization_id, organization_id))
    .orderBy(desc(credentials.created_at), desc(credentials.id))
    .limit(50)
    .prepare("list_credentials");
  const countCredentials = database
    .select({ total: count() })
    .from(credentials)
    .where(eq(credentials.organization_id, organization_id))
    .prepare("count_credentials");
  const listBindings = database
    .select()
    .from(bindings)
    .where(and(eq(bindings.organization_id, organization_id), isNull(bindings.valid_to)))
    .orderBy(desc(bindings.created_at), desc(bindings.live_id))
    .limit(50)
    .prepare("list_bindings");
  const countBindings = database
    .select({ total: sum(countDeltas.change) })
    .from(countDeltas)
    .where(and(eq(countDeltas.organization_id, organization_id), eq(countDeltas.kind, "bindings")))
    .prepare("count_bindings");
  const updateCredential = database
    .update(credentials)
    .set({ name: "Core switches", updated_at: sql`now()` })
    .where(and(eq(credentials.organization_id, organization_id), eq(credentials.id, credential_id)))
    .prepare("update_credential");
  const deleteTags = database
    .delete(credentialTags)
    .where(ofCredential(credentialTags))
    .prepare("delete_tags");
  const insertTags = database
    .insert(credentialTags)
    .values([0, 1].map((tag) => ({ organization_id, credential_id, tag_id: idOf("tag", 2, tag) })))
    .prepare("insert_tags");
  const updateSecret = database
    .update(credentialSecrets)
    .set({ sealed: "sealed" })
    .where(ofCredential(credentialSecrets))
    .prepare("update_secret");
  const updateOrganization = database
    .update(organizations)
    .set({ name: "Renamed", updated_at: sql`now()` })
    .where(eq(organizations.id, organization_id))
    .prepare("update_organization");
  const retryConnection = database
    .update(daemons)
    .set({ unreachable_since: null, consecutive_failures: 0, next_poll_at: sql`now()` })
    .where(and(eq(daemons.organization_id, organization_id), eq(daemons.id, daemon_id)))
    .prepare("retry_connection");
  const insertTag = database
    .insert(tags)
    .values({ organization_id, name: sql`gen_random_uuid()::text` })
    .prepare("insert_tag");
  const inTransaction = async (statements: readonly { execute(): Promise<unknown> }[]) => {
    await database.execute(sql`begin`);
    for (const statement of statements) {
      await statement.execute();
    }
    await database.execute(sql`commit`);
  };
  return {
    "PUT credential": () => inTransaction([updateCredential, deleteTags, insertTags, updateSecret]),
    "PUT organization": () => updateOrganization.execute(),
    "POST retry-connection": () => retryConnection.execute(),
    "GET credentials": async () => [
      await listCredentials.execute(),
      await countCredentials.execute(),
    ],
    "GET bindings": async () => [await listBindings.execute(), await countBindings.execute()],
    "POST tags": () => insertTag.execute(),
  };
}

/**
 * The bare statements of operations, by the name of the operation. Triggers do not run on the
 * connection, which must belong to a superuser.
 */
export async function prepareBareStatements(
  client: pg.Client,
): Promise<Record<string, () => Promise<unknown>>> {
  await client.query("set session_replication_role = replica");
  // As behind the gate: `app.enter`.
  await client.query(
    "set jit = off; set enable_seqscan = off; set max_parallel_workers_per_gather = 0",
  );
  return bareStatements(drizzle({ client }));
}
