import { sql } from "drizzle-orm";
import { runAsPoller } from "../../database/poller.ts";
import { daemons } from "../../database/tables/index.ts";
import { ingestThrough } from "../../discovery/ingest/ingest.ts";
import type { Settings } from "../../env.ts";
import { ApiError } from "../../errors.ts";
import { confirmationOf } from "./confirmation.ts";
import { holds, type Lease } from "./lease.ts";
import type { ConvertedReport } from "./report.ts";

/** A leased daemon on its network. */
export type Visited = Lease & { network_id: string };

/** What came of a report. */
export interface Ingested {
  /** What confirms it. */
  confirmation: ReturnType<typeof confirmationOf>;
  /** How many of its hosts were taken over, and how many failed. */
  stored: number;
  failed: number;
}

/**
 * Ingests what a daemon reports into its own network, in one call and one transaction, behind the
 * gate of its visit.
 * @returns null where the lease is lost: then nothing has changed
 * @throws {ApiError} when the database fails
 */
export async function ingestReport(
  settings: Settings,
  visited: Visited,
  { hosts, subnets }: ConvertedReport,
): Promise<Ingested | null> {
  const { organization_id, id, poll_generation, network_id } = visited;
  try {
    const result = await ingestThrough(
      async (report) => {
        const [, { rows }] = await runAsPoller(settings, (database) => [
          database.execute(
            sql`select app.enter_visit(${organization_id}, ${id}, ${poll_generation})`,
          ),
          database.execute<{ result: unknown }>(
            sql`select app.ingest_visit(${network_id}, ${report}::jsonb) as result`,
          ),
          database.execute(sql`select app.leave_visit()`),
        ]);
        return rows[0]?.result;
      },
      { source: null, observed_at: null, subnets, hosts, failed: [] },
    );
    const storedHosts = result.hosts.flatMap(({ index, host_id }) => {
      const host = hosts.find((one) => one.index === index);
      return host && host_id !== null ? [{ pending: host.pending, id: host_id }] : [];
    });
    // It reports the host that it lives on under the id that its work named.
    const own = storedHosts.find(({ pending }) => pending.id === id);
    if (own) {
      await runAsPoller(settings, (database) => [
        database.execute(sql`
          update ${daemons} as daemon set host_id = ${own.id}
          where daemon.organization_id = ${organization_id} and daemon.id = ${id}
            and daemon.host_id is distinct from ${own.id} and ${holds(visited)}`),
      ]);
    }
    return {
      confirmation: confirmationOf(network_id, {
        hosts: storedHosts,
        subnets: result.subnets.flatMap(({ subnet_id }, position) => {
          const subnet = subnets[position];
          return subnet && subnet_id !== null ? [{ pending: subnet.pending, id: subnet_id }] : [];
        }),
      }),
      stored: storedHosts.length,
      failed: hosts.length - storedHosts.length,
    };
  } catch (error) {
    if (error instanceof ApiError && error.code === "entity_not_found") {
      return null;
    }
    throw error;
  }
}
