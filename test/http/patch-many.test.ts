import { describe, expect, test } from "vitest";
import * as z from "zod";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import type { Answer } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintKey } from "../helpers/organization.ts";
import {
  createRecord,
  type OwnDataKind,
  type Owners,
  openOwners,
  ownDataKinds,
  recordSchema,
} from "../helpers/own-data.ts";
import { changingNothing } from "../helpers/rows.ts";

const answerSchema = z.object({
  data: z.array(recordSchema),
  meta: z.object({ etags: z.array(z.string()) }),
});

/** The records and entity tags in a response, which must be a success. */
const patchedIn = (answer: Answer) => {
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  return answerSchema.parse(answer.body);
};

/** Creates records of a kind, and returns their ids. */
async function createMany(opened: Owners, kind: OwnDataKind, count: number) {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    const { record } = await createRecord(opened, kind, {
      external_id: `${number}`,
      metadata: { kept: "1", changed: "1" },
    });
    ids.push(record.id);
  }
  return ids;
}

describe.each(ownDataKinds)("PATCH $collection/bulk", (kind) => {
  const { entity, collection } = kind;
  const path = `${collection}/bulk`;

  test("changes only the fields that are sent, and returns the records in the order of the request", async () => {
    const opened = await openOwners();
    const [a = "", b = "", c = ""] = await createMany(opened, kind, 3);
    const { data, meta } = patchedIn(
      await opened.send("PATCH", path, [
        { id: c.toUpperCase(), name: "C" },
        { id: a, name: "A", metadata: { changed: "2", added: "3" } },
      ]),
    );
    expect(data).toMatchObject([
      { id: c, name: "C", external_id: "2", metadata: { kept: "1", changed: "1" } },
      { id: a, name: "A", external_id: "0", metadata: { kept: "1", changed: "2", added: "3" } },
    ]);
    for (const [position, { id }] of data.entries()) {
      const read = await opened.send("GET", `${collection}/${id}`);
      expect(read).toMatchObject({ status: 200, body: { data: data[position] } });
      expect(read.headers.get("ETag")).toBe(meta.etags[position]);
    }
    expect(await opened.send("GET", `${collection}/${b}`)).toMatchObject({
      body: { data: { external_id: "1", metadata: { kept: "1", changed: "1" } } },
    });
  });

  test("changes nothing if one patch is invalid, and names its index", async () => {
    const opened = await openOwners();
    const [a = "", b = ""] = await createMany(opened, kind, 2);
    const unknown = crypto.randomUUID();
    await changingNothing(opened.organization.id, async () => {
      const send = async (...patches: unknown[]) => seen(await opened.send("PATCH", path, patches));
      const valid = { id: a, name: "A" };
      expect(await send(valid, { id: b, name: "" })).toMatchObject(invalidAt("body[1].name"));
      expect(await send(valid, { id: b, unknown: 1 })).toMatchObject(invalidAt("body[1].unknown"));
      expect(await send(valid, { name: "B" })).toMatchObject(invalidAt("body[1].id"));
      expect(await send(valid, { id: "1", name: "B" })).toMatchObject(invalidAt("body[1].id"));
      expect(await send(valid, { id: a.toUpperCase() })).toMatchObject(invalidAt("body[1].id"));
      expect(await send({ id: a, name: "" }, { id: b, name: "" })).toMatchObject(
        invalidAt("body[0].name", "body[1].name"),
      );
      expect(await send(valid, { id: unknown, name: "B" })).toMatchObject(
        failed("entity_not_found", { entity, id: unknown, field: "body[1].id" }),
      );
      expect(await send(valid, { id: b, external_id: "0" })).toMatchObject(
        failed("entity_already_exists", { entity, field: "body[1].external_id", id: a }),
      );
    });
  });

  test("accepts 1 to 100 patches", async () => {
    const opened = await openOwners();
    const [id = ""] = await createMany(opened, kind, 1);
    patchedIn(await opened.send("PATCH", path, [{ id, name: "A" }]));
    const unknown = (count: number) =>
      Array.from({ length: count }, () => ({ id: crypto.randomUUID(), name: "A" }));
    expect(await opened.send("PATCH", path, unknown(100))).toMatchObject({ status: 404 });
    for (const body of [[], unknown(101), { id, name: "A" }, "text", [1]]) {
      expect(await opened.send("PATCH", path, body)).toMatchObject({
        status: 400,
        body: { code: "validation_failed" },
      });
    }
  });

  test("does not change another organization's record", async () => {
    const [opened, other] = [await openOwners(), await openOwners()];
    const [own = ""] = await createMany(opened, kind, 1);
    const [id = ""] = await createMany(other, kind, 1);
    for (const { organization } of [opened, other]) {
      const answer = await changingNothing(organization.id, () =>
        opened.send("PATCH", path, [
          { id: own, name: "A" },
          { id, name: "A" },
        ]),
      );
      expect(seen(answer)).toEqual(failed("entity_not_found", { entity, id, field: "body[1].id" }));
    }
  });

  test("gives each of two requests at the same time the outcome of one of them", async () => {
    const opened = await openOwners();
    const [a = "", b = ""] = await createMany(opened, kind, 2);
    const sent = [
      [a, b].map((id) => ({ id, metadata: { first: "1" } })),
      [b, a].map((id) => ({ id, metadata: { second: "1" } })),
    ];
    const answers = await Promise.all(sent.map((body) => opened.send("PATCH", path, body)));
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    for (const answer of answers) {
      expect(answer.status).toBeOneOf([200, 409]);
    }
    const list = await opened.send("GET", `${collection}?ids=${a}&ids=${b}`);
    const [one, two] = z.object({ data: z.array(recordSchema) }).parse(list.body).data;
    expect(one?.metadata).toEqual(two?.metadata);
  });
});

test("100 hosts change in one transaction, which changes show as one", async () => {
  const opened = await openOwners();
  const hosts = Array.from({ length: 100 }, (_, number) => ({
    network_id: opened.network_id,
    name: `Host ${number}`,
    ports: [{ number: 22, protocol: "Tcp" }],
  }));
  const created = await opened.send("POST", "hosts/bulk", hosts);
  const ids = z.object({ data: z.array(recordSchema) }).parse(created.body).data;
  const patched = patchedIn(
    await opened.send(
      "PATCH",
      "hosts/bulk",
      ids.map(({ id }, number) => ({ id, description: `Number ${number}` })),
    ),
  );
  expect(patched.data.map((record) => Object(record).description)).toEqual(
    hosts.map((_, number) => `Number ${number}`),
  );
  expect(patched.data.map((record) => Object(record).ports)).toEqual(
    ids.map((record) => Object(record).ports),
  );
  const since = Object(ids[0]).valid_from;
  const instants = new Set(patched.data.map((record) => Object(record).valid_from));
  expect(instants.size).toBe(1);
  const changes = await opened.send("GET", `changes?since=${since}&entity=Host&limit=1000`);
  const { data } = z
    .object({ data: z.array(z.looseObject({ at: z.string(), changed: z.array(z.string()) })) })
    .parse(changes.body);
  expect(data).toHaveLength(100);
  expect(new Set(data.map(({ at }) => at)).size).toBe(1);
  expect(data[0]?.changed).toEqual(["description"]);
});

test("hosts of more than 1 MiB in total are rejected, but large children do not count", async () => {
  const opened = await openOwners();
  // Postgres measures a record compressed, so the texts must not be compressible.
  const text = () => Array.from({ length: 13 }, () => crypto.randomUUID()).join("");
  const metadata = Object.fromEntries(
    Array.from({ length: 50 }, (_, number) => [`key${number}`, text()]),
  );
  const patches: { id: string; name: string }[] = [];
  for (let number = 0; number < 2; number++) {
    const created = await opened.send(
      "POST",
      "hosts/bulk",
      Array.from({ length: 30 }, () => ({ network_id: opened.network_id, name: "A", metadata })),
    );
    const { data } = z.object({ data: z.array(recordSchema) }).parse(created.body);
    patches.push(...data.map(({ id }) => ({ id, name: "B" })));
  }
  const answer = await changingNothing(opened.organization.id, () =>
    opened.send("PATCH", "hosts/bulk", patches),
  );
  expect(seen(answer)).toEqual(
    failed("request_too_large", { max_bytes: 1_048_576, reason: "records" }),
  );
  patchedIn(await opened.send("PATCH", "hosts/bulk", patches.slice(0, 20)));
  const ports = Array.from({ length: 1000 }, (_, number) => ({
    number: number + 1,
    protocol: "Tcp",
  }));
  const large = patches.slice(0, 3);
  for (const { id, name } of large) {
    const replaced = await opened.send("PUT", `hosts/${id}`, { name, metadata, ports });
    expect(replaced).toMatchObject({ status: 200 });
  }
  const streamed = await opened.send("PATCH", "hosts/bulk", large);
  expect(streamed).toMatchObject({ status: 200, body: { success: true } });
  const { data, meta } = z
    .object({
      data: z.array(z.looseObject({ id: z.string(), ports: z.array(z.unknown()) })),
      meta: z.looseObject({}),
    })
    .parse(streamed.body);
  expect(data.map(({ id, ports: own }) => [id, own.length])).toEqual(
    large.map(({ id }) => [id, 1000]),
  );
  expect(meta["etags"]).toBeUndefined();
});

test("changes are made in the order of the request", async () => {
  const opened = await openOwners();
  const kind = ownDataKinds.find(({ collection }) => collection === "tags");
  const [a = "", b = ""] = kind ? await createMany(opened, kind, 2) : [];
  const moved = await opened.send("PATCH", "tags/bulk", [
    { id: a, external_id: null },
    { id: b, external_id: "0" },
  ]);
  expect(patchedIn(moved).data).toMatchObject([{ external_id: null }, { external_id: "0" }]);
});

test("errors about references name the index", async () => {
  const opened = await openOwners();
  const id = crypto.randomUUID();
  for (const kind of ownDataKinds.filter(({ collection }) => collection !== "tags")) {
    const [a = "", b = ""] = await createMany(opened, { ...kind }, 2);
    const field = "body[1].tags";
    const answer = await opened.send("PATCH", `${kind.collection}/bulk`, [
      { id: a, name: "A" },
      { id: b, tags: [id] },
    ]);
    expect(seen(answer)).toEqual(failed("entity_reference_invalid", { entity: "Tag", field, id }));
  }
});

test("the secrets of credentials are kept, and issues about them name the index", async () => {
  const opened = await openOwners();
  const kind = ownDataKinds.find(({ collection }) => collection === "credentials");
  const [a = "", b = ""] = kind ? await createMany(opened, kind, 2) : [];
  const secret = (value: string) => ({
    credential_type: { type: "SnmpV2c", community: { mode: "Inline", value } },
  });
  const answer = await opened.send("PATCH", "credentials/bulk", [
    { id: a, ...secret("hidden") },
    { id: b, ...secret("********") },
  ]);
  expect(seen(answer)).toMatchObject(invalidAt("body[1].credential_type.community.value"));
  patchedIn(await opened.send("PATCH", "credentials/bulk", [{ id: a, ...secret("hidden") }]));
  const kept = await opened.send("PATCH", "credentials/bulk", [{ id: a, name: "Renamed" }]);
  expect(patchedIn(kept).data).toMatchObject([{ name: "Renamed", ...secret("********") }]);
});

test("a key limited to a network gets 404 for a record of another network", async () => {
  const opened = await openOwners();
  const [, other] = opened.organization.networks;
  const key = await mintKey(opened.organization.id, { role: "Member" }, [other.id]);
  const { id } = opened.host;
  const answer = await changingNothing(opened.organization.id, () =>
    opened.api.send("PATCH", "/api/v1/hosts/bulk", { key, json: [{ id, name: "A" }] }),
  );
  expect(seen(answer)).toEqual(
    failed("entity_not_found", { entity: "Host", id, field: "body[0].id" }),
  );
});

test("hosts and their ports can be patched together while timestamps run ahead of the clock", async () => {
  const opened = await openOwners();
  const [ahead, behind] = [
    await opened.create("hosts", { name: "A", ports: [{ number: 22, protocol: "Tcp" }] }),
    await opened.create("hosts", { name: "B", ports: [{ number: 22, protocol: "Tcp" }] }),
  ];
  await sql`
    insert into transactions (organization_id, changed_at, actor_type)
    values (${opened.organization.id}, now() + interval '1 hour', 'system')`;
  // Each statement that changes a child moves the timestamp of the host past that of the transaction.
  const { ports } = await opened.replace("hosts", ahead.id, {
    name: "C",
    ports: [22, 80, 443].map((number) => ({ number, protocol: "Tcp" })),
    services: [{ name: "SSH" }, { name: "Web" }],
  });
  const patch = (collection: string, ...patches: readonly object[]) =>
    opened.send("PATCH", `${collection}/bulk`, patches);
  expect(
    await patch("ports", { id: behind.ports[0]?.id, number: 23 }, { id: ports[0]?.id, number: 23 }),
  ).toMatchObject({ status: 200, body: { data: [{ number: 23 }, { number: 23 }] } });
  await opened.replace("hosts", ahead.id, { name: "D", ports: [], services: [] });
  expect(
    await patch("hosts", { id: behind.id, name: "E" }, { id: ahead.id, name: "F" }),
  ).toMatchObject({ status: 200, body: { data: [{ name: "E" }, { name: "F" }] } });
});
