import { beforeAll, beforeEach, expect, test } from "vitest";
import { pollMessageSchema } from "../../../src/daemons/poller/claim/cycle.ts";
import { daemonRow, raiseDaemon } from "../../helpers/daemons.ts";
import { sql } from "../../helpers/database.ts";
import { mintOrganization, type Organization } from "../../helpers/organization.ts";
import { openFreshDatabase, openPoller, type Poller } from "../../helpers/poller.ts";

let poller: Poller;
let organization: Organization;
let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

beforeEach(async () => {
  await sql`delete from organizations`;
  organization = await mintOrganization();
  poller = openPoller(variables);
});

/** Provisions a daemon that listens on this machine. */
async function provision() {
  const daemon = raiseDaemon();
  const { body } = await poller.send("POST", "/api/v1/daemons/provision", {
    key: organization.keys.member,
    json: { name: "attic", network_id: organization.networks[0].id, url: daemon.url },
  });
  const { daemon: record, daemon_api_key } = Object(body).data;
  return { ...daemon, id: String(record.id), token: String(daemon_api_key) };
}

const get = (id: string, headers: Record<string, string> = {}) =>
  poller.send("GET", `/api/v1/daemons/${id}`, { key: organization.keys.viewer, headers });

async function pollAll() {
  const messages = await poller.cycle();
  for (const message of messages) {
    await poller.deliver(message);
  }
  return messages.flatMap((message) =>
    pollMessageSchema.parse(message).daemons.map(({ id }) => id),
  );
}

test("the next cycle contacts a provisioned daemon with exactly that daemon's key", async () => {
  const [attic, cellar] = [await provision(), await provision()];
  expect((await pollAll()).sort()).toEqual([attic.id, cellar.id].sort());
  for (const { id, token, requests } of [attic, cellar]) {
    expect(await requests()).toMatchObject([{ method: "GET", authorization: `Bearer ${token}` }]);
    expect(await get(id)).toMatchObject({
      body: { data: { version: "0.14.2", last_error: null } },
    });
  }
});

test("a poll that changes visible fields changes the ETag, but not updated_at", async () => {
  const { id } = await provision();
  const before = await get(id);
  const etag = before.headers.get("etag") ?? "";
  expect((await get(id, { "If-None-Match": etag })).status).toBe(304);
  await pollAll();
  const after = await get(id, { "If-None-Match": etag });
  expect(after.status).toBe(200);
  expect(Object(after.body).data.updated_at).toBe(Object(before.body).data.updated_at);
});

test("a claim alone does not change the ETag", async () => {
  const { id } = await provision();
  const before = await get(id);
  expect(await poller.cycle()).toHaveLength(1);
  expect((await get(id)).headers.get("etag")).toBe(before.headers.get("etag"));
});

test("a deleted daemon is no longer claimed", async () => {
  const { id, requests } = await provision();
  await poller.send("DELETE", `/api/v1/daemons/${id}`, { key: organization.keys.member });
  expect(await pollAll()).toEqual([]);
  expect(await requests()).toEqual([]);
  expect((await get(id)).status).toBe(404);
});

test("a message that is still queued when its daemon is deleted changes nothing", async () => {
  const [gone, left] = [await provision(), await provision()];
  const messages = await poller.cycle();
  await poller.send("DELETE", `/api/v1/daemons/${gone.id}`, { key: organization.keys.member });
  for (const message of messages) {
    await poller.deliver(message);
  }
  expect(await sql`select id, version from daemons`).toEqual([{ id: left.id, version: "0.14.2" }]);
  expect(await sql`select daemon_id from daemon_secrets`).toEqual([{ daemon_id: left.id }]);
});

test("a message for a deleted daemon does not affect a new daemon with the same id", async () => {
  const gone = await provision();
  const messages = await poller.cycle();
  await poller.send("DELETE", `/api/v1/daemons/${gone.id}`, { key: organization.keys.member });
  await poller.send("POST", "/api/v1/daemons/provision", {
    key: organization.keys.member,
    json: {
      id: gone.id,
      name: "New",
      network_id: organization.networks[0].id,
      url: "https://daemon.example.com",
    },
  });
  const before = await daemonRow(gone.id);
  for (const message of messages) {
    await poller.deliver(message);
  }
  expect(await daemonRow(gone.id)).toEqual(before);
});

test("after a change to the URL's path, the daemon receives the same key at the new path", async () => {
  const { id, url, token } = await provision();
  const other = raiseDaemon();
  const answer = await poller.send("PUT", `/api/v1/daemons/${id}`, {
    key: organization.keys.member,
    json: { name: "attic", network_id: organization.networks[0].id, url: other.url },
  });
  expect(answer.status).toBe(200);
  expect(other.url).not.toBe(url);
  await pollAll();
  expect(await other.requests()).toMatchObject([{ authorization: `Bearer ${token}` }]);
});
