import { beforeAll, expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { credentialsIn, settingsOfTypes } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { manyCredentials, mintManyCredentials, readPages } from "../helpers/many-credentials.ts";
import { mintCredential, mintOrganization, type Organization } from "../helpers/organization.ts";

const everything = (offset: number) => ({
  total_count: manyCredentials,
  limit: 0,
  offset,
  has_more: false,
  next_cursor: null,
});

let organization: Organization;

beforeAll(async () => {
  organization = await mintOrganization();
  await mintManyCredentials(organization);
});

test("a complete list equals all pages, in every order", async () => {
  const key = organization.keys.viewer;
  for (const query of ["", "group_by=type&order_by=name&order_direction=desc"]) {
    const api = openApi();
    const paged = await readPages(api, key, query);
    expect(new Set(paged.map(({ id }) => id)).size).toBe(manyCredentials);
    const calls = await api.calls();
    const answer = await api.send("GET", `/api/v1/credentials?${query}&limit=0`, { key });
    expect(credentialsIn(answer)).toEqual(paged);
    expect(answer).toHaveProperty("body.meta.pagination", everything(0));
    expect((await api.calls()) - calls).toBe(4);
  }
});

test("a complete list from an offset equals the remaining pages and takes only a few calls", async () => {
  const key = organization.keys.viewer;
  const paged = await readPages(openApi(), key, "order_by=name");
  for (const [offset, calls] of [
    [1, 4],
    [500, 3],
    [1500, 2],
    [2499, 1],
    [2500, 1],
  ] as const) {
    const api = openApi();
    const path = `/api/v1/credentials?order_by=name&limit=0&offset=${offset}`;
    const answer = await api.send("GET", path, { key });
    expect(credentialsIn(answer)).toEqual(paged.slice(offset));
    expect(answer).toHaveProperty("body.meta.pagination", everything(offset));
    expect(await api.calls()).toBe(calls);
  }
});

test("a complete list of a type counts and contains only that type", async () => {
  const api = openApi();
  const answer = await api.send("GET", "/api/v1/credentials?type=DockerSocket&limit=0", {
    key: organization.keys.viewer,
  });
  const listed = credentialsIn(answer).map(({ credential_type }) => credential_type.type);
  expect(listed).toEqual(Array(833).fill("DockerSocket"));
  expect(answer).toMatchObject({ body: { meta: { pagination: { total_count: 833 } } } });
  expect(await api.calls()).toBe(2);
});

/** Lists credentials whose certificates are 64 KB each, and counts the database calls. */
async function listCertificates(credentials: number): Promise<number> {
  const { id, keys } = await mintOrganization();
  const certificate = `-----BEGIN CERTIFICATE-----\n${"MAAA".repeat(16_000)}\n-----END CERTIFICATE-----`;
  for (let count = 0; count < credentials; count++) {
    const settings = {
      ...settingsOfTypes.DockerProxy,
      ssl_chain: { mode: "Inline", value: certificate },
    } as const;
    await mintCredential(id, { settings });
  }
  const api = openApi();
  const answer = await api.send("GET", "/api/v1/credentials?limit=0", { key: keys.viewer });
  const calls = await api.calls();
  const paged = await openApi().send("GET", "/api/v1/credentials", { key: keys.viewer });
  expect(credentialsIn(answer)).toHaveLength(credentials);
  expect(credentialsIn(answer)).toEqual(credentialsIn(paged));
  return calls;
}

test("limits a chunk by the length of certificates", async () => {
  // 8 of the 20 credentials fit in the first chunk of 512 KiB, and the other 12 in the second chunk
  // of 1 MiB.
  expect(await listCertificates(20)).toBe(2);
});

test("requests fewer records if those for a chunk would be more than four times the chunk's size", async () => {
  // Up to 50 credentials are requested first. The 32 credentials total less than 2 MiB, so all are
  // read, and 8 of them are returned. Each subsequent chunk of 1 MiB contains 14.
  expect(await listCertificates(32)).toBe(3);
  // 33 credentials total more than 2 MiB, so 6 are requested instead, and 14 in each subsequent
  // chunk.
  expect(await listCertificates(33)).toBe(4);
});

test("limits a chunk by the number of assignments", async () => {
  const api = openApi();
  const { id, keys } = await mintOrganization();
  await mintManyAssignments(id, { credentials: 20, tags: 1000, networks: 1000 });
  const answer = await api.send("GET", "/api/v1/credentials?limit=0", { key: keys.viewer });
  // Each credential is 78 KB, so 6 fit in the first chunk of 512 KiB, and 11 in the next one.
  expect(await api.calls()).toBe(3);
  const paged = await openApi().send("GET", "/api/v1/credentials", { key: keys.viewer });
  expect(credentialsIn(answer)).toEqual(credentialsIn(paged));
  expect(credentialsIn(answer)).toHaveLength(20);
});

test("limits a later chunk by bytes, even if earlier chunks had many records", async () => {
  const api = openApi();
  const { id, keys } = await mintOrganization();
  await sql`
    insert into credentials (organization_id, name, settings)
    select ${id}, 'A ' || number, '{"type": "DockerSocket"}' from generate_series(1, 900) as number`;
  const certificate = `-----BEGIN CERTIFICATE-----\n${"MAAA".repeat(16_000)}\n-----END CERTIFICATE-----`;
  const settings = {
    ...settingsOfTypes.DockerProxy,
    ssl_chain: { mode: "Inline", value: certificate },
  };
  await sql`
    insert into credentials (organization_id, name, settings)
    select ${id}, 'B ' || number, ${JSON.stringify(settings)}::jsonb
    from generate_series(1, 20) as number`;
  const path = "/api/v1/credentials?order_by=name&limit=0";
  const answer = await api.send("GET", path, { key: keys.viewer });
  // The next chunk may try all remaining records. Sixteen of 64 KB each fit in 1 MiB, the limit for
  // a single list.
  expect(await api.calls()).toBe(3);
  expect(credentialsIn(answer)).toHaveLength(920);
});

/**
 * Creates the given numbers of tags, networks and credentials in an organization. Each credential
 * has all of the tags and networks.
 */
async function mintManyAssignments(
  id: string,
  count: { credentials: number; tags: number; networks: number },
) {
  await sql.transaction([
    sql`delete from tags where organization_id = ${id}`,
    sql`delete from networks where organization_id = ${id}`,
    sql`insert into tags (organization_id, name)
      select ${id}, 'Tag ' || number from generate_series(1, ${count.tags}::int) as number`,
    sql`insert into networks (organization_id, name)
      select ${id}, 'Network ' || number from generate_series(1, ${count.networks}::int) as number`,
    sql`insert into credentials (organization_id, name, settings)
      select ${id}, 'Credential ' || number, '{"type": "DockerSocket"}'
      from generate_series(1, ${count.credentials}::int) as number`,
    sql`insert into credential_tags (organization_id, credential_id, tag_id)
      select ${id}, credentials.id, tags.id from credentials join tags using (organization_id)
      where organization_id = ${id}`,
    sql`insert into credential_networks (organization_id, credential_id, network_id)
      select ${id}, credentials.id, networks.id from credentials join networks using (organization_id)
      where organization_id = ${id}`,
  ]);
}
