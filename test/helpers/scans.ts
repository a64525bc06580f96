import * as schema from "../../src/database/tables/index.ts";
import { database, sql } from "./database.ts";
import { type Scanner, wireProgress } from "./protocol.ts";
import { mintSession, sessionRow } from "./sessions.ts";

/** Assigns a credential to a network, to a host, or to some addresses of a host. */
export async function assignCredential(
  organization_id: string,
  credential_id: string,
  to: { network_id?: string; host_id?: string; addresses?: readonly string[] },
): Promise<void> {
  const { network_id, host_id, addresses } = to;
  const own = { organization_id, credential_id };
  if (network_id !== undefined) {
    await database.insert(schema.credentialNetworks).values({ ...own, network_id });
  }
  if (host_id !== undefined) {
    const is_limited_to_addresses = addresses !== undefined;
    await database
      .insert(schema.credentialHosts)
      .values({ ...own, host_id, is_limited_to_addresses });
    for (const ip_address_id of addresses ?? []) {
      await database
        .insert(schema.credentialHostIpAddresses)
        .values({ ...own, host_id, ip_address_id });
    }
  }
}

/** The open ports with bindings, by their host's address. */
export async function bound({ organization }: Scanner): Promise<Record<string, number[]>> {
  const rows = await sql`
    select host(address.address) as address,
      coalesce(array_agg(port.number order by port.number) filter (where port.id is not null), '{}') as numbers
    from ip_addresses as address
    left join bindings as binding on binding.organization_id = address.organization_id
      and binding.live_host_id = address.live_host_id and binding.first_discovery_id is not null
    left join ports as port on port.id = binding.port_id and port.valid_to is null
    where address.organization_id = ${organization.id} and address.live_host_id is not null
      and address.first_discovery_id is not null
    group by address.address`;
  return Object.fromEntries(rows.map(({ address, numbers }) => [address, numbers]));
}

/**
 * Runs a complete scan.
 * @param reported the hosts that it reports during the scan and at its end
 * @param values the values of its session; a light scan by default, so that every scan has the same
 *   ports
 * @returns its id
 */
export async function scan(
  scanner: Scanner,
  { hosts, last = [] }: { hosts: unknown[]; last?: unknown[] },
  values: Parameters<typeof mintSession>[3] = { is_full_scan: false },
) {
  const { id, organization, networkId } = scanner;
  const session = await mintSession(organization.id, networkId, id, values);
  await scanner.report({});
  await scanner.visit();
  await scanner.report({ progress: wireProgress(session, "Scanning", 50), hosts });
  await scanner.visit();
  await scanner.report({ progress: wireProgress(session, "Complete", 100), hosts: last });
  await scanner.visit();
  return session;
}

/** True if the records that the scan did not find again have been closed. */
export const isSettled = async (session: string) => (await sessionRow(session)).settled_at !== null;
