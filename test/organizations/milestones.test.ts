import { expect, test } from "vitest";
import { organizations } from "../../src/database/tables/index.ts";
import { openApi } from "../helpers/api.ts";
import { database } from "../helpers/database.ts";
import { mintKey } from "../helpers/organization.ts";

const snmp = { type: "SnmpV2c", community: { mode: "Inline", value: "public-1" } };

const credential = (organization_id: string, name: string, credential_type: object) => ({
  name,
  organization_id,
  tags: [],
  assigned_network_ids: [],
  host_assignments: [],
  credential_type,
});

/** Creates an organization as operators do, with only a key. */
async function mintEmpty() {
  const id = crypto.randomUUID();
  await database.insert(organizations).values({ id, name: "New", onboarding: ["OrgCreated"] });
  return { id, key: await mintKey(id, { role: "Owner" }) };
}

test("an organization reaches its milestones through the API in order, each once", async () => {
  const api = openApi();
  const { id, key } = await mintEmpty();
  const reached = ["OrgCreated", "FirstUserApiKeyCreated"];
  const onboarding = async () => {
    const { body } = await api.send("GET", "/api/v1/organizations", { key });
    return Object(body).data.onboarding;
  };
  /** Creates two records, and expects only the first one to reach the milestones. */
  const expectReached = async (
    path: string,
    json: (name: string) => unknown,
    ...milestones: string[]
  ) => {
    for (const name of ["First", "Second"]) {
      expect((await api.send("POST", `/api/v1/${path}`, { key, json: json(name) })).status).toBe(
        201,
      );
      if (name === "First") {
        reached.push(...milestones);
      }
      expect([path, name, await onboarding()]).toEqual([path, name, reached]);
    }
  };
  expect(await onboarding()).toEqual(reached);

  const network = await api.send("POST", "/api/v1/networks", { key, json: { name: "Only" } });
  const network_id = Object(network.body).data.id;
  expect(await onboarding()).toEqual(reached);
  await expectReached("networks", (name) => ({ name }), "SecondNetworkCreated");
  await expectReached("tags", (name) => ({ name }), "FirstTagCreated");
  await expectReached(
    "credentials",
    (name) => credential(id, name, { type: "DockerSocket" }),
    "FirstCredentialCreated",
  );
  await expectReached(
    "credentials",
    (name) => credential(id, name, snmp),
    "FirstSnmpCredentialCreated",
  );
  await expectReached(
    "daemons/provision",
    (name) => ({ name, network_id, url: "https://daemon.example.com" }),
    "FirstDaemonRegistered",
  );
  await expectReached("auth/keys", (name) => ({ name, permissions: "Viewer" }));
});

test("a first SNMP credential reaches both of its milestones, and two networks in one request reach theirs", async () => {
  const api = openApi();
  const { id, key } = await mintEmpty();
  const json = [credential(id, "SNMP", snmp)];
  await api.send("POST", "/api/v1/credentials/bulk", { key, json });
  await api.send("POST", "/api/v1/networks/bulk", { key, json: [{ name: "A" }, { name: "B" }] });
  expect(await api.send("GET", "/api/v1/organizations", { key })).toMatchObject({
    body: {
      data: {
        onboarding: [
          "OrgCreated",
          "FirstUserApiKeyCreated",
          "FirstCredentialCreated",
          "FirstSnmpCredentialCreated",
          "SecondNetworkCreated",
        ],
      },
    },
  });
});

test("a failed create does not reach a milestone, and a deletion does not remove one", async () => {
  const api = openApi();
  const { key } = await mintEmpty();
  const onboarding = async () =>
    Object((await api.send("GET", "/api/v1/organizations", { key })).body).data.onboarding;
  const before = await onboarding();
  const twice = [{ name: "Same" }, { name: "same" }];
  expect((await api.send("POST", "/api/v1/tags/bulk", { key, json: twice })).status).toBe(400);
  expect(await onboarding()).toEqual(before);
  const tag = await api.send("POST", "/api/v1/tags", { key, json: { name: "Same" } });
  await api.send("DELETE", `/api/v1/tags/${Object(tag.body).data.id}`, { key });
  expect(await onboarding()).toEqual([...before, "FirstTagCreated"]);
});
