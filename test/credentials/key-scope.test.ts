import { beforeEach, describe, expect, test } from "vitest";
import { failed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import {
  credentialIn,
  inline,
  masked,
  putCredential,
  readCredential,
  updateOf,
} from "../helpers/credentials.ts";
import { enter, refusalOf, sql } from "../helpers/database.ts";
import { mintCredential, mintKey, mintOrganization } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

const secret = { type: "SnmpV1", community: inline("public-1") };

/**
 * Creates an organization with two networks, a key limited to the first one, and a key limited to
 * none. `store` creates a credential with the given assignments.
 */
async function openScene() {
  const api = openApi();
  const organization = await mintOrganization();
  const { id: organization_id, keys, tags } = organization;
  const [inside, outside] = organization.networks;
  const limited = await mintKey(organization_id, { role: "Owner" }, [inside.id]);
  const none = await mintKey(organization_id, { role: "Owner" }, []);
  const store = async (changes: Record<string, unknown>) => {
    const id = await mintCredential(organization_id);
    const sent = updateOf(organization_id, { tags, credential_type: secret, ...changes });
    return credentialIn(await putCredential(api, keys.admin, id, sent));
  };
  return { api, organization_id, keys, tags, inside, outside, limited, none, store };
}

let scene: Awaited<ReturnType<typeof openScene>>;

beforeEach(async () => {
  scene = await openScene();
});

type Scene = typeof scene;

/** Assignments that are partly outside the first network. */
const beyond: { what: string; assigned: (scene: Scene) => Record<string, unknown> }[] = [
  {
    what: "another network",
    assigned: ({ outside }) => ({ assigned_network_ids: [outside.id] }),
  },
  {
    what: "its own network and another network",
    assigned: ({ inside, outside }) => ({ assigned_network_ids: [inside.id, outside.id] }),
  },
  {
    what: "a host on another network",
    assigned: ({ outside }) => ({ host_assignments: [{ host_id: outside.host_id }] }),
  },
  {
    what: "its own network and an address on another network",
    assigned: ({ inside, outside }) => ({
      assigned_network_ids: [inside.id],
      host_assignments: [{ host_id: outside.host_id, ip_address_ids: [outside.ip_address_ids[0]] }],
    }),
  },
];

describe.each(beyond)("a credential that is assigned to $what", ({ assigned }) => {
  /** Updates that an attacker could send to steal the secret or to destroy the credential. */
  const updates = (): [string, Record<string, unknown>][] => [
    ["keeps the secret and assigns nothing", {}],
    [
      "keeps the secret and takes it to its own network",
      {
        assigned_network_ids: [scene.inside.id],
        host_assignments: [{ host_id: scene.inside.host_id }],
      },
    ],
    ["keeps the secret and sends what is stored", assigned(scene)],
    ["refers to an unknown network", { assigned_network_ids: [crypto.randomUUID()] }],
  ];

  test("rejects every update by a key limited to specific networks, and stays unchanged", async () => {
    const { api, organization_id, limited, none, store } = scene;
    const { id } = await store(assigned(scene));
    const before = await rowsOf(organization_id);
    for (const key of [limited, none]) {
      for (const [name, changes] of updates()) {
        const sent = updateOf(organization_id, {
          name: "Taken over",
          credential_type: { type: "SnmpV1", community: masked },
          ...changes,
        });
        const answer = await putCredential(api, key, id, sent);
        expect(seen(answer), name).toEqual(failed("auth_scope_denied"));
      }
    }
    expect(await rowsOf(organization_id)).toEqual(before);
  });

  test("is listed for such a key without the ids outside its networks", async () => {
    const { api, inside, outside, limited, none, store } = scene;
    const written = await store(assigned(scene));
    const hidden = [outside.id, outside.host_id, ...outside.ip_address_ids];
    for (const path of ["", "?limit=0", "?limit=1000&order_by=name"]) {
      const { text } = await api.send("GET", `/api/v1/credentials${path}`, { key: limited });
      expect(hidden.filter((id) => text.includes(id))).toEqual([]);
    }
    expect(await readCredential(api, limited, written.id)).toEqual({
      ...written,
      assigned_network_ids: written.assigned_network_ids.filter((id) => id === inside.id),
      host_assignments: written.host_assignments.filter(
        ({ host_id }) => host_id === inside.host_id,
      ),
    });
    expect(await readCredential(api, none, written.id)).toEqual({
      ...written,
      assigned_network_ids: [],
      host_assignments: [],
    });
  });

  test.each([
    ["credentials", "update credentials set name = 'Taken over' where id = $1"],
    ["secrets", "delete from credential_secret_fields where credential_id = $1"],
    ["tags", "delete from credential_tags where credential_id = $1"],
    ["networks", "delete from credential_networks where credential_id = $1"],
    ["hosts", "delete from credential_hosts where credential_id = $1"],
    ["addresses", "delete from credential_host_ip_addresses where credential_id = $1"],
    [
      "a new secret",
      "insert into credential_secrets (organization_id, credential_id, field, sealed) values ($2, $1, 'other', 'demo.AAAA')",
    ],
  ])(
    "keeps its %s in the database, even if the code tries to change them",
    async (_, statement) => {
      const { organization_id, limited, none, store } = scene;
      const { id } = await store(assigned(scene));
      const before = await rowsOf(organization_id);
      for (const key of [limited, none]) {
        const parameters = statement.includes("$2") ? [id, organization_id] : [id];
        // A policy hides the rows from the statement, or a trigger aborts it.
        const transaction = sql.transaction([enter(key), sql.query(statement, parameters)]);
        await transaction.catch((error) => expect(error).toMatchObject({ code: "INV01" }));
      }
      expect(await rowsOf(organization_id)).toEqual(before);
    },
  );
});

test("a limited key can send back a credential within its networks, whether changed or not", async () => {
  const { api, organization_id, inside, limited, store, keys } = scene;
  const { id } = await store({
    assigned_network_ids: [inside.id],
    host_assignments: [{ host_id: inside.host_id, ip_address_ids: [inside.ip_address_ids[0]] }],
  });
  const read = await readCredential(api, limited, id);
  const { updated_at, ...written } = credentialIn(await putCredential(api, limited, id, read));
  expect(updated_at > read.updated_at).toBe(true);
  expect({ ...written, updated_at: read.updated_at }).toEqual(read);
  expect(await readCredential(api, keys.viewer, id)).toEqual({ ...written, updated_at });
  const emptied = updateOf(organization_id, { credential_type: { type: "DockerSocket" } });
  expect(credentialIn(await putCredential(api, limited, id, emptied))).toMatchObject(emptied);
});

// Otherwise, a limited key could assign such a credential and so obtain its secret, even if the
// credential has only just lost its network.
test("only keys with access to all networks can change a credential without assignments", async () => {
  const { api, organization_id, inside, limited, none, store } = scene;
  const { id } = await store({});
  const assigned = updateOf(organization_id, { assigned_network_ids: [inside.id] });
  for (const key of [limited, none]) {
    expect(seen(await putCredential(api, key, id, assigned))).toEqual(failed("auth_scope_denied"));
    const answer = await api.send("DELETE", `/api/v1/credentials/${id}`, { key });
    expect(seen(answer)).toEqual(failed("auth_scope_denied"));
    const unassigned = await api.send("POST", "/api/v1/credentials", {
      key,
      json: updateOf(organization_id),
    });
    expect(seen(unassigned)).toEqual(failed("auth_scope_denied"));
  }
});

test("the database rejects an assignment outside the key's networks, even if the code attempts one", async () => {
  const { organization_id, outside, limited, store } = scene;
  const { id } = await store({});
  const own = [organization_id, id];
  const before = await rowsOf(organization_id);
  const insertions = [
    sql.query(
      "insert into credential_networks (organization_id, credential_id, network_id) values ($1, $2, $3)",
      [...own, outside.id],
    ),
    sql.query(
      "insert into credential_hosts (organization_id, credential_id, host_id, is_limited_to_addresses) values ($1, $2, $3, false)",
      [...own, outside.host_id],
    ),
  ];
  for (const insertion of insertions) {
    const transaction = sql.transaction([enter(limited), insertion]);
    expect(await refusalOf(transaction)).toMatchObject({ code: "INV01" });
  }
  expect(await rowsOf(organization_id)).toEqual(before);
});

test("for a key limited to specific networks, a foreign credential returns 404, like an unknown id", async () => {
  const { api, organization_id, limited } = scene;
  const other = await mintOrganization();
  const foreign = await mintCredential(other.id);
  const answers = [];
  for (const id of [foreign, crypto.randomUUID()]) {
    const { status, text } = await putCredential(api, limited, id, updateOf(organization_id));
    const comparable = text.replaceAll(id, "ID").replace(/"request_id":"[^"]*"/, "");
    answers.push({ status, text: comparable });
  }
  expect(answers[0]).toMatchObject({ status: 404 });
  expect(answers[0]).toEqual(answers[1]);
});

test("locking a credential in order to replace it shows a limited key none of the credential's assignments outside the key's networks", async () => {
  const { inside, outside, limited, keys, store } = scene;
  const { id } = await store({ assigned_network_ids: [inside.id, outside.id] });
  const lockedBy = async (key: string) => {
    const results = await sql.transaction([
      enter(key),
      sql`select is_held, gone_networks, fields
        from app.lock_replaced_credential(${id}, '{}', '{}', '[]')`,
    ]);
    return results.at(-1);
  };
  expect(await lockedBy(limited)).toEqual([{ is_held: false, gone_networks: null, fields: null }]);
  const gone_networks = expect.arrayContaining([inside.id, outside.id]);
  expect(await lockedBy(keys.admin)).toEqual([
    { is_held: true, gone_networks, fields: ["community"] },
  ]);
});
