import type { Api } from "./api.ts";
import { type Credential, credentialsIn, settingsOfTypes } from "./credentials.ts";
import { sql } from "./database.ts";
import type { Organization } from "./organization.ts";

/** More credentials than one query reads. */
export const manyCredentials = 2500;

const settings = [
  settingsOfTypes.SnmpV1,
  settingsOfTypes.DockerProxy,
  settingsOfTypes.DockerSocket,
];

/** Gives an organization many credentials, with assignments and with unsorted names. */
export async function mintManyCredentials(
  { id, networks: [{ id: network, host_id }], tags }: Organization,
  number = manyCredentials,
) {
  await sql.transaction([
    sql`
      insert into credentials (organization_id, name, settings, created_at)
      select ${id}, md5(position::text), 
        (${JSON.stringify(settings)}::jsonb) -> (position % 3),
        timestamptz '2026-01-01Z' + position % 100 * interval '1 minute'
      from generate_series(1, ${number}) as position`,
    sql`
      insert into credential_networks (organization_id, credential_id, network_id)
      select organization_id, id, ${network} from credentials where organization_id = ${id}`,
    sql`
      insert into credential_tags (organization_id, credential_id, tag_id)
      select organization_id, id, ${tags[0]} from credentials
      where organization_id = ${id} and name < '8'`,
    sql`
      insert into credential_hosts
        (organization_id, credential_id, host_id, is_limited_to_addresses)
      select organization_id, id, ${host_id}, false from credentials
      where organization_id = ${id} and name > '8'`,
  ]);
}

/** Reads all credentials, page by page. */
export async function readPages(api: Api, key: string, query: string): Promise<Credential[]> {
  const credentials: Credential[] = [];
  for (let offset = 0; offset < manyCredentials; offset += 1000) {
    const page = await api.send("GET", `/api/v1/credentials?${query}&limit=1000&offset=${offset}`, {
      key,
    });
    credentials.push(...credentialsIn(page));
  }
  return credentials;
}
