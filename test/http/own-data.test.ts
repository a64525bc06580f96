import { describe, expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { linesOf } from "../helpers/csv.ts";
import { mintKey } from "../helpers/organization.ts";
import {
  createRecord,
  openOwners,
  ownDataKinds,
  postRecord,
  recordSchema,
} from "../helpers/own-data.ts";

describe.each(ownDataKinds)("$collection", (kind) => {
  const { entity, collection } = kind;

  test("have no external id and no metadata by default", async () => {
    const { record } = await createRecord(await openOwners(), kind, {});
    expect(record).toMatchObject({ external_id: null, metadata: {} });
  });

  test("keep the external id and the metadata that they are created with", async () => {
    const opened = await openOwners();
    const own = { external_id: "cmdb/1 ü", metadata: { rack: "A3", "a.b-c_1": "", __proto: "1" } };
    const { record, path } = await createRecord(opened, kind, {
      ...own,
      external_id: " cmdb/1 ü ",
    });
    expect(record).toMatchObject(own);
    expect(await opened.send("GET", path)).toMatchObject({ body: { data: own } });
  });

  test("are replaced with their external id and metadata by PUT, which clears what it omits", async () => {
    const opened = await openOwners();
    const { body, path } = await createRecord(opened, kind, {
      external_id: "a",
      metadata: { a: "1" },
    });
    const replaced = { external_id: "b", metadata: { b: "2" } };
    expect(await opened.send("PUT", path, { ...body, ...replaced })).toMatchObject({
      status: 200,
      body: { data: replaced },
    });
    expect(await opened.send("PUT", path, body)).toMatchObject({
      status: 200,
      body: { data: { external_id: null, metadata: {} } },
    });
  });

  test("merge the metadata of a PATCH, in which null removes a key", async () => {
    const opened = await openOwners();
    const { path } = await createRecord(opened, kind, {
      external_id: "a",
      metadata: { kept: "1", changed: "1", removed: "1" },
    });
    const merged = await opened.send("PATCH", path, {
      metadata: { changed: "2", removed: null, added: "3" },
    });
    expect(merged).toMatchObject({ status: 200 });
    expect(recordSchema.parse(Object(merged.body).data)).toMatchObject({
      external_id: "a",
      metadata: { kept: "1", changed: "2", added: "3" },
    });
    expect(Object.keys(Object(merged.body).data.metadata)).toHaveLength(3);
    const cleared = await opened.send("PATCH", path, { external_id: null, metadata: null });
    expect(cleared).toMatchObject({ body: { data: { external_id: null, metadata: {} } } });
  });

  test("can be sent back as they were read", async () => {
    const opened = await openOwners();
    const { record, path } = await createRecord(opened, kind, {
      external_id: "a",
      metadata: { a: "1" },
    });
    expect(await opened.send("PUT", path, record)).toMatchObject({
      status: 200,
      body: { data: { external_id: "a", metadata: { a: "1" } } },
    });
  });

  test("cannot have the external id of another record of their kind", async () => {
    const opened = await openOwners();
    const first = await createRecord(opened, kind, { external_id: "taken" });
    const second = await createRecord(opened, kind, { external_id: "Taken" });
    const taken = failed("entity_already_exists", {
      entity,
      field: "body.external_id",
      id: first.record.id,
    });
    const body = { ...kind.body(opened), external_id: "taken" };
    expect(seen(await postRecord(opened, kind, body))).toMatchObject(taken);
    expect(
      seen(await opened.send("PUT", second.path, { ...second.body, external_id: "taken" })),
    ).toMatchObject(taken);
    expect(seen(await opened.send("PATCH", second.path, { external_id: "taken" }))).toMatchObject(
      taken,
    );
    // It keeps its own, and gives it up.
    expect(await opened.send("PATCH", first.path, { external_id: "taken" })).toMatchObject({
      status: 200,
    });
    await opened.send("PATCH", first.path, { external_id: null });
    expect(await opened.send("PATCH", second.path, { external_id: "taken" })).toMatchObject({
      status: 200,
    });
  });

  test("can have the external id of a deleted record and of another organization's record", async () => {
    const opened = await openOwners();
    const first = await createRecord(opened, kind, { external_id: "a" });
    await createRecord(await openOwners(), kind, { external_id: "b" });
    await opened.send("DELETE", first.path);
    await createRecord(opened, kind, { external_id: "a" });
    await createRecord(opened, kind, { external_id: "b" });
  });

  test("are found by their exact external id", async () => {
    const opened = await openOwners();
    const { record } = await createRecord(opened, kind, { external_id: "asset 7/ä" });
    await createRecord(opened, kind, { external_id: "asset 7/Ä" });
    await createRecord(await openOwners(), kind, { external_id: "asset 7/ä" });
    const found = (text: string) =>
      opened.send("GET", `${collection}?external_id=${encodeURIComponent(text)}`);
    expect(await found("asset 7/ä")).toMatchObject({
      status: 200,
      body: { data: [{ id: record.id }], meta: { pagination: { total_count: 1 } } },
    });
    expect(await found("asset")).toMatchObject({ body: { data: [] } });
    expect(seen(await opened.send("GET", `${collection}?external_id=`))).toMatchObject(
      invalidAt("query.external_id"),
    );
  });

  test("reject external ids and metadata beyond the bounds, with their paths", async () => {
    const opened = await openOwners();
    const body = kind.body(opened);
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, "x"]));
    const valid = [
      { external_id: "\u{1f600}".repeat(200) },
      { metadata: keys(50) },
      { metadata: { ["k".repeat(40)]: "\u{1f600}".repeat(500) } },
      { metadata: JSON.parse('{"__proto__": "data"}') },
      { metadata: null, external_id: "  " },
    ];
    for (const own of valid) {
      expect(await postRecord(opened, kind, { ...kind.body(opened), ...own })).toMatchObject({
        status: 201,
      });
    }
    const invalid: [object, string][] = [
      [{ external_id: "x".repeat(201) }, "external_id"],
      [{ external_id: 1 }, "external_id"],
      [{ external_id: "a\tb" }, "external_id"],
      [{ external_id: "a\u0000b" }, "external_id"],
      [{ metadata: keys(51) }, "metadata"],
      [{ metadata: [] }, "metadata"],
      [{ metadata: "text" }, "metadata"],
      [{ metadata: { "": "x" } }, "metadata."],
      [{ metadata: { "a b": "x" } }, "metadata.a b"],
      [{ metadata: { ["k".repeat(41)]: "x" } }, `metadata.${"k".repeat(41)}`],
      [{ metadata: { a: "x".repeat(501) } }, "metadata.a"],
      [{ metadata: { a: 1 } }, "metadata.a"],
      [{ metadata: { a: null } }, "metadata.a"],
      [{ metadata: { a: { b: "c" } } }, "metadata.a"],
      [{ metadata: { a: "\u0000" } }, "metadata.a"],
    ];
    for (const [own, path] of invalid) {
      expect(seen(await postRecord(opened, kind, { ...body, ...own }))).toMatchObject(
        invalidAt(`body.${path}`),
      );
    }
  });

  test("have their metadata as JSON in a table", async () => {
    const opened = await openOwners();
    await createRecord(opened, kind, { external_id: "=1", metadata: { a: "x, y", b: '"' } });
    const { text } = await opened.api.send("GET", `/api/v1/${collection}?external_id=%3D1`, {
      key: opened.organization.keys.owner,
      headers: { Accept: "text/csv" },
    });
    const [header = [], line = []] = linesOf(text);
    expect(line[header.indexOf("external_id")]).toBe("'=1");
    expect(line[header.indexOf("metadata")]).toBe('{"a":"x, y","b":"\\""}');
  });
});

describe.each(ownDataKinds.filter(({ collection }) => collection !== "daemons"))(
  "many $collection",
  (kind) => {
    const { entity, collection } = kind;

    test("cannot have the same external id", async () => {
      const opened = await openOwners();
      const { record } = await createRecord(opened, kind, { external_id: "taken" });
      const bodyOf = (external_id: string) => ({ ...kind.body(opened), external_id });
      const repeated = [bodyOf("a"), bodyOf("b"), bodyOf("a")];
      expect(seen(await opened.send("POST", `${collection}/bulk`, repeated))).toMatchObject(
        invalidAt("body[2].external_id"),
      );
      const taken = [bodyOf("a"), bodyOf("taken")];
      expect(seen(await opened.send("POST", `${collection}/bulk`, taken))).toMatchObject(
        failed("entity_already_exists", { entity, field: "body[1].external_id", id: record.id }),
      );
      const free = [bodyOf("a"), { ...bodyOf("b"), metadata: { a: "1" } }];
      expect(await opened.send("POST", `${collection}/bulk`, free)).toMatchObject({
        status: 201,
        body: { data: [{ external_id: "a" }, { external_id: "b", metadata: { a: "1" } }] },
      });
    });
  },
);

describe.each(
  ownDataKinds.filter(({ collection }) => ["hosts", "services", "subnets"].includes(collection)),
)("the history of $collection", (kind) => {
  test("contains their external ids and metadata, and so do changes", async () => {
    const opened = await openOwners();
    const { record, path, body } = await createRecord(opened, kind, {
      external_id: "before",
      metadata: { a: "1" },
    });
    const { valid_from } = Object(record);
    await opened.send("PUT", path, { ...body, external_id: "after", metadata: { a: "2" } });
    const at = (external_id: string) =>
      opened.send("GET", `${kind.collection}?external_id=${external_id}&at=${valid_from}`);
    expect(await at("after")).toMatchObject({ body: { data: [] } });
    expect(await at("before")).toMatchObject({
      body: { data: [{ external_id: "before", metadata: { a: "1" }, lineage_id: record.id }] },
    });
    const change = {
      changed: ["external_id", "metadata"],
      before: { external_id: "before", metadata: { a: "1" } },
      after: { external_id: "after", metadata: { a: "2" } },
    };
    const query = `entity=${kind.entity}`;
    const changes = await opened.send("GET", `changes?since=${valid_from}&${query}`);
    expect(changes).toMatchObject({ status: 200, body: { data: [change] } });
    const diff = await opened.send("GET", `diff?from=${valid_from}&${query}`);
    expect(diff).toMatchObject({ status: 200, body: { data: { items: [change] } } });
  });
});

test("a host's services can take the external ids of services that the same request deletes", async () => {
  const opened = await openOwners();
  const host = await opened.create("hosts", {
    name: "A",
    services: [
      { name: "one", external_id: "1" },
      { name: "two", external_id: "2" },
    ],
  });
  const [one, two] = host.services;
  const replaced = await opened.replace("hosts", host.id, {
    name: "A",
    services: [
      { id: two?.id, name: "two", external_id: "1" },
      { name: "three", external_id: "3" },
    ],
  });
  expect(replaced.services).toMatchObject([{ external_id: "1" }, { external_id: "3" }]);
  expect(one?.id).not.toBe(replaced.services[0]?.id);
  const other = {
    network_id: opened.network_id,
    name: "B",
    services: [{ name: "x", external_id: "1" }],
  };
  expect(seen(await opened.send("POST", "hosts", other))).toMatchObject(
    failed("entity_already_exists", {
      entity: "Service",
      field: "body.services[0].external_id",
      id: two?.id,
    }),
  );
});

test("a key limited to other networks learns nothing about the record with an external id", async () => {
  const opened = await openOwners();
  const [, other] = opened.organization.networks;
  const key = await mintKey(opened.organization.id, { role: "Member" }, [other.id]);
  await opened.create("hosts", { name: "A", external_id: "taken" });
  const found = await opened.api.send("GET", "/api/v1/hosts?external_id=taken", { key });
  expect(found).toMatchObject({ body: { data: [] } });
  const json = { network_id: other.id, name: "B", external_id: "taken" };
  expect(seen(await opened.api.send("POST", "/api/v1/hosts", { key, json }))).toMatchObject(
    failed("request_conflict"),
  );
});
