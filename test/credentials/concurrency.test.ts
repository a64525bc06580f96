import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";

/** Enough tags for the statements of two updates to overlap. */
const tagCount = 1000;

// On the embedded database, requests queue for its single connection, so this test can fail only on
// a real one.
test("runs two concurrent updates one after the other, and never mixes them", async () => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const minted = await sql`
    insert into tags (organization_id, name)
    select ${organization_id}, 'Tag ' || number
    from generate_series(1, ${2 * tagCount}::int) as number returning id`;
  const tags = minted.map((tag) => String(tag["id"])).sort();
  const body = (name: string, own: string[]) => ({
    name,
    organization_id,
    tags: own,
    assigned_network_ids: [],
    host_assignments: [],
    credential_type: { type: "DockerSocket" },
  });
  const first = body("First", tags.slice(0, tagCount));
  const second = body("Second", tags.slice(tagCount));
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(
      [first, second].map((json) =>
        api.send("PUT", `/api/v1/credentials/${id}`, { key: keys.admin, json }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const list = await api.send("GET", "/api/v1/credentials", { key: keys.viewer });
    const last = list.text.includes('"name":"First"') ? first : second;
    expect(list).toMatchObject({ status: 200, body: { data: [last] } });
  }
});
