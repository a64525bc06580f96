import { describe, expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import type { Answer } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import { mintKey } from "../helpers/organization.ts";
import {
  createRecord,
  type OwnDataKind,
  type Owners,
  openOwners,
  ownDataKinds,
  recordSchema,
} from "../helpers/own-data.ts";
import { etagOf } from "../helpers/records.ts";
import { changingNothing } from "../helpers/rows.ts";

const pathOf = ({ collection }: OwnDataKind, external_id: string) =>
  `${collection}/by-external-id/${encodeURIComponent(external_id)}`;

/** The record in a response, also if it is a provisioned daemon. */
const recordIn = ({ body }: Answer) => {
  const { data } = Object(body);
  return recordSchema.parse(data.daemon ?? data);
};

const kindOf = (collection: string): OwnDataKind => {
  const kind = ownDataKinds.find((one) => one.collection === collection);
  if (!kind) {
    throw new Error(`There is no kind ${collection}.`);
  }
  return kind;
};

describe.each(ownDataKinds)("PUT $collection/by-external-id/{external_id}", (kind) => {
  const { entity, collection } = kind;

  test("creates the record, and then replaces it", async () => {
    const opened = await openOwners();
    const path = pathOf(kind, "one");
    const body = kind.body(opened);
    const created = await opened.send("PUT", path, { ...body, metadata: { a: "1" } });
    expect(created).toMatchObject({ status: 201 });
    const record = recordIn(created);
    expect(record).toMatchObject({ external_id: "one", metadata: { a: "1" } });
    const location = created.headers.get("Location");
    expect(location).toBe(`/api/v1/${collection}/${record.id}`);
    const replaced = await opened.send("PUT", path, { ...body, metadata: { b: "2" } });
    expect(replaced).toMatchObject({ status: 200 });
    expect(recordIn(replaced)).toMatchObject({
      id: record.id,
      external_id: "one",
      metadata: { b: "2" },
    });
    expect(replaced.headers.get("Location")).toBeNull();
    expect(etagOf(replaced)).not.toBe(etagOf(created));
    const read = await opened.send("GET", `${collection}/${record.id}`);
    expect(etagOf(read)).toBe(etagOf(replaced));
    const list = await opened.send("GET", `${collection}?external_id=one`);
    expect(list).toMatchObject({ body: { meta: { pagination: { total_count: 1 } } } });
  });

  test("accepts in the body only the external id and the id of the record", async () => {
    const opened = await openOwners();
    const { body, record } = await createRecord(opened, kind, { external_id: "one" });
    const path = pathOf(kind, "one");
    for (const same of [{ external_id: " one " }, { external_id: null }, { id: record.id }]) {
      const answer = await opened.send("PUT", path, { ...body, ...same });
      expect(answer).toMatchObject({ status: 200 });
      expect(recordIn(answer)).toMatchObject({ id: record.id, external_id: "one" });
    }
    await changingNothing(opened.organization.id, async () => {
      const renamed = await opened.send("PUT", path, { ...body, external_id: "two" });
      expect(seen(renamed)).toMatchObject(invalidAt("body.external_id"));
      const other = await opened.send("PUT", path, { ...body, id: crypto.randomUUID() });
      expect(seen(other)).toMatchObject(invalidAt("body.id"));
      const used = await opened.send("PUT", pathOf(kind, "two"), { ...body, id: record.id });
      expect(seen(used)).toMatchObject(
        failed("entity_already_exists", { entity, field: "body.id", id: record.id }),
      );
    });
  });

  test("creates the record with the id in the body", async () => {
    const opened = await openOwners();
    const id = crypto.randomUUID();
    const created = await opened.send("PUT", pathOf(kind, "one"), { ...kind.body(opened), id });
    expect(created).toMatchObject({ status: 201 });
    expect(recordIn(created).id).toBe(id);
  });

  test("replaces only a record with a tag of If-Match, and creates none", async () => {
    const opened = await openOwners();
    const path = pathOf(kind, "one");
    const body = kind.body(opened);
    for (const header of ["*", '"0-0"']) {
      const absent = await changingNothing(opened.organization.id, () =>
        opened.send("PUT", path, body, { "If-Match": header }),
      );
      expect(seen(absent)).toEqual(failed("precondition_failed", { reason: "missing" }));
    }
    const etag = etagOf(await opened.send("PUT", path, body));
    const other = await changingNothing(opened.organization.id, () =>
      opened.send("PUT", path, body, { "If-Match": '"0-0"' }),
    );
    expect(seen(other)).toEqual(failed("precondition_failed", { etag }));
    const same = await opened.send("PUT", path, body, { "If-Match": etag });
    expect(same).toMatchObject({ status: 200 });
    expect(await opened.send("PUT", path, body, { "If-Match": "*" })).toMatchObject({
      status: 200,
    });
  });

  test("only creates with If-None-Match: *", async () => {
    const opened = await openOwners();
    const path = pathOf(kind, "one");
    const body = kind.body(opened);
    const created = await opened.send("PUT", path, body, { "If-None-Match": "*" });
    expect(created).toMatchObject({ status: 201 });
    const etag = etagOf(created);
    for (const header of ["*", etag]) {
      const second = await changingNothing(opened.organization.id, () =>
        opened.send("PUT", path, body, { "If-None-Match": header }),
      );
      expect(seen(second)).toEqual(failed("precondition_failed", { etag, reason: "exists" }));
    }
    expect(await opened.send("PUT", path, body, { "If-None-Match": '"0-0"' })).toMatchObject({
      status: 200,
    });
  });

  test("creates one record if many requests arrive at once", async () => {
    const opened = await openOwners();
    const body = kind.body(opened);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => opened.send("PUT", pathOf(kind, "one"), body)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    for (const answer of answers) {
      expect(answer.status).toBeOneOf([200, 201, 409]);
      if (answer.status === 409) {
        expect(seen(answer)).toEqual(failed("request_conflict"));
      }
    }
    const list = await opened.send("GET", `${collection}?external_id=one`);
    expect(list).toMatchObject({ body: { meta: { pagination: { total_count: 1 } } } });
  });

  test("creates a record again after its deletion, with another id", async () => {
    const opened = await openOwners();
    const { body, record, path } = await createRecord(opened, kind, { external_id: "one" });
    await opened.send("DELETE", path);
    const created = await opened.send("PUT", pathOf(kind, "one"), body);
    expect(created).toMatchObject({ status: 201 });
    expect(recordIn(created).id).not.toBe(record.id);
  });

  test("does not touch another organization's record", async () => {
    const [opened, other] = [await openOwners(), await openOwners()];
    await createRecord(other, kind, { external_id: "one" });
    const created = await changingNothing(other.organization.id, () =>
      opened.send("PUT", pathOf(kind, "one"), kind.body(opened)),
    );
    expect(created).toMatchObject({ status: 201 });
  });

  test("reports the issues of the body, which names no fields of another kind", async () => {
    const opened = await openOwners();
    await changingNothing(opened.organization.id, async () => {
      const empty = await opened.send("PUT", pathOf(kind, "one"), {});
      expect(seen(empty)).toMatchObject(failed("validation_failed"));
      const unknown = { ...kind.body(opened), unknown: 1 };
      const answer = await opened.send("PUT", pathOf(kind, "one"), unknown);
      expect(seen(answer)).toMatchObject(invalidAt("body.unknown"));
    });
  });
});

describe("an external id in a path", () => {
  const kind = kindOf("tags");

  test.each([
    "a/b",
    "a%2Fb",
    "100 %",
    "a?b#c",
    "+1 & 2=3",
    "日本語",
    "é\u0301 Ωμέγα",
    "מזהה",
    "\u{1f600}".repeat(200),
    "x".repeat(200),
    "'\"\\;<>",
    "bulk",
  ])("can be %s", async (external_id) => {
    const opened = await openOwners();
    const created = await opened.send("PUT", pathOf(kind, external_id), kind.body(opened));
    expect(created).toMatchObject({ status: 201, body: { data: { external_id } } });
    const replaced = await opened.send("PUT", pathOf(kind, external_id), kind.body(opened));
    expect(replaced).toMatchObject({ status: 200, body: { data: { external_id } } });
  });

  test.each([
    ["more than 200 characters", "x".repeat(201)],
    ["more than 200 characters outside the BMP", encodeURIComponent("\u{1f600}".repeat(201))],
    ["only spaces", "%20%20"],
    ["a tab", "a%09b"],
    ["bytes that are not UTF-8", "a%FFb"],
    ["a surrogate", "%ED%A0%80"],
    ["an incomplete escape", "100%"],
  ])("cannot be %s", async (_, segment) => {
    const opened = await openOwners();
    const answer = await changingNothing(opened.organization.id, () =>
      opened.send("PUT", `tags/by-external-id/${segment}`, kind.body(opened)),
    );
    expect(seen(answer)).toMatchObject(invalidAt("path.external_id"));
  });

  test("is not logged", async () => {
    const opened = await openOwners();
    const logged = recordConsole();
    for (const external_id of ["private-id", "private-id\t"]) {
      await opened.send("PUT", pathOf(kind, external_id), kind.body(opened));
    }
    expect(logged()).toContain("/api/v1/tags/by-external-id/:external_id");
    expect(logged()).not.toContain("private");
  });

  test("is trimmed", async () => {
    const opened = await openOwners();
    await createRecord(opened, kind, { external_id: "one" });
    const replaced = await opened.send("PUT", pathOf(kind, " one "), kind.body(opened));
    expect(replaced).toMatchObject({ status: 200, body: { data: { external_id: "one" } } });
  });
});

describe("the body of an upsert", () => {
  test("must name the network of a new host, and need not name that of a known one", async () => {
    const opened = await openOwners();
    const kind = kindOf("hosts");
    const answer = await opened.send("PUT", pathOf(kind, "one"), { name: "A" });
    expect(seen(answer)).toMatchObject(invalidAt("body.network_id"));
    await opened.send("PUT", pathOf(kind, "one"), { name: "A", network_id: opened.network_id });
    const replaced = await opened.send("PUT", pathOf(kind, "one"), { name: "B" });
    expect(replaced).toMatchObject({ status: 200, body: { data: { name: "B" } } });
  });

  test("must contain the secrets of a new credential, and can keep those of a known one", async () => {
    const opened = await openOwners();
    const kind = kindOf("credentials");
    const bodyWith = (value: string) => ({
      ...kind.body(opened),
      name: "Switches",
      credential_type: { type: "SnmpV2c", community: { mode: "Inline", value } },
    });
    const masked = bodyWith("********");
    const answer = await opened.send("PUT", pathOf(kind, "one"), masked);
    expect(seen(answer)).toMatchObject(invalidAt("body.credential_type.community.value"));
    const created = await opened.send("PUT", pathOf(kind, "one"), bodyWith("secret"));
    expect(created).toMatchObject({ status: 201, body: { data: masked } });
    expect(created.text).not.toContain("secret");
    const kept = await opened.send("PUT", pathOf(kind, "one"), masked);
    expect(kept).toMatchObject({ status: 200, body: { data: masked } });
  });

  test("returns the key of a new daemon, and none of a known one", async () => {
    const opened = await openOwners();
    const kind = kindOf("daemons");
    const body = kind.body(opened);
    const created = await opened.send("PUT", pathOf(kind, "one"), body);
    expect(created).toMatchObject({
      status: 201,
      body: { data: { daemon_api_key: expect.stringMatching(/^inv_d_/) } },
    });
    const known = { ...body, receives_credentials: true };
    expect(await opened.send("PUT", pathOf(kind, "one"), known)).toMatchObject({
      status: 200,
      body: { data: { daemon: { receives_credentials: true }, daemon_api_key: null } },
    });
    const answer = await opened.send("PUT", pathOf(kind, "two"), known);
    expect(seen(answer)).toMatchObject(invalidAt("body.receives_credentials"));
  });
});

describe.each(["hosts", "services", "subnets", "daemons"])("a key limited to a network", (name) => {
  const kind = kindOf(name);

  test(`neither learns of nor replaces ${name} of other networks`, async () => {
    const opened = await openOwners();
    const [, other] = opened.organization.networks;
    const { body } = await createRecord(opened, kind, { external_id: "taken" });
    const place = await placeIn(opened, kind, other.id);
    const key = await mintKey(opened.organization.id, { role: "Member" }, [other.id]);
    const send = (external_id: string, headers = {}) =>
      opened.api.send("PUT", `/api/v1/${pathOf(kind, external_id)}`, {
        key,
        json: { ...body, ...place },
        headers,
      });
    await changingNothing(opened.organization.id, async () => {
      expect(seen(await send("taken"))).toEqual(failed("request_conflict"));
      expect(seen(await send("taken", { "If-None-Match": "*" }))).toEqual(
        failed("request_conflict"),
      );
      expect(seen(await send("taken", { "If-Match": "*" }))).toEqual(
        failed("precondition_failed", { reason: "missing" }),
      );
    });
    expect(await send("free")).toMatchObject({ status: 201 });
    expect(await send("free")).toMatchObject({ status: 200 });
  });
});

/** The field that places a record in another network. */
async function placeIn({ send }: Owners, { collection }: OwnDataKind, network_id: string) {
  if (collection !== "services") {
    return { network_id };
  }
  const host = await send("POST", "hosts", { network_id, name: "Of the other network" });
  return { host_id: Object(host.body).data.id };
}
