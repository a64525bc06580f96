import { Hono } from "hono";
import { expect, test } from "vitest";
import * as z from "zod";
import { app } from "../../src/app.ts";
import committed from "../../src/docs/assets/openapi.json" with { type: "json" };
import { factory } from "../../src/http/factory.ts";
import { describeOperation } from "../../src/openapi/describe.ts";
import { buildDocument } from "../../src/openapi/document.ts";
import { pascalCase } from "../../src/openapi/envelope.ts";
import { fold } from "../../src/openapi/fold.ts";
import { loadDescriptions } from "../../src/openapi/load.ts";

await loadDescriptions(app);

test("the committed document is up to date", () => {
  expect(committed).toEqual(JSON.parse(JSON.stringify(fold(buildDocument(app)))));
});

test("every operation has a unique id in snake case", () => {
  const ids = Object.values(committed.paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z]+(_[a-z]+)*$/.test(id))).toEqual([]);
  // The reference's clients use these ids (API contract, section 7).
  expect(ids).toEqual(
    expect.arrayContaining([
      "get_all_credentials",
      "update_credential",
      "update_org_name",
      "retry_daemon_connection",
      "list_bindings",
      "get_daemons",
      "get_daemon_by_id",
      "get_all_networks",
      "get_all_services",
      "get_all_tags",
      "set_entity_tags",
      "get_all_user_api_keys",
      "rotate_user_api_key",
    ]),
  );
});

const schemas: Record<string, object> = committed.components.schemas;
const names = new Set(Object.keys(schemas));

test("no schema has a name that generators derive from another schema's or operation's name", () => {
  const operations = Object.values(committed.paths).flatMap((verbs) =>
    Object.values(verbs).map(({ operationId }) => pascalCase(operationId)),
  );
  const derived = [
    // Constructors in Go.
    ...[...names].map((name) => `New${name}`),
    // Operations' parsed responses in Go.
    ...operations.map((operation) => `${operation}Response`),
  ];
  expect(derived.filter((name) => names.has(name))).toEqual([]);
});

test("no schema has a property with the schema's own name, since Python uses that name for the instance", () => {
  const snakeCase = (name: string) =>
    name.replaceAll(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3_$2$4").toLowerCase();
  const matches = Object.entries(schemas).filter(
    ([name, schema]) => "properties" in schema && snakeCase(name) in Object(schema.properties),
  );
  expect(matches.map(([name]) => name)).toEqual([]);
});

/** Returns the paths of all nested parts for which `is` returns true. */
function piecesThat(is: (piece: object) => boolean, piece: unknown, path = ""): string[] {
  if (typeof piece !== "object" || piece === null) {
    return [];
  }
  const below = Object.entries(piece).flatMap(([key, value]) =>
    piecesThat(is, value, `${path}/${key}`),
  );
  return is(piece) ? [path, ...below] : below;
}

test("booleans in the query are described as booleans, not as text", () => {
  const isText = (piece: object) =>
    "enum" in piece && Array.isArray(piece.enum) && piece.enum.includes("false");
  expect(piecesThat(isText, committed)).toEqual([]);
});

test("null occurs only as an alternative to a type", () => {
  const isNull = (piece: object) => "type" in piece && piece.type === "null";
  const matches = piecesThat(isNull, schemas);
  expect(matches.filter((path) => !/\/anyOf\/1$/.test(path))).toEqual([]);
});

test("date-times do not have a pattern, since clients parse them", () => {
  const matches = piecesThat(
    (piece) => "format" in piece && piece.format === "date-time" && "pattern" in piece,
    committed,
  );
  expect(matches).toEqual([]);
});

test("a nullable id does not have a pattern, since Go would reject it in a union", () => {
  const matches = piecesThat(
    (piece) =>
      "format" in piece &&
      piece.format === "uuid" &&
      "type" in piece &&
      Array.isArray(piece.type) &&
      "pattern" in piece,
    committed,
  );
  expect(matches).toEqual([]);
});

test("rejects an endpoint without a description", () => {
  const undescribed = new Hono().get("/api/v1/things", (c) => c.text(""));
  expect(() => buildDocument(undescribed)).toThrow("GET /api/v1/things has no description");
});

test("rejects a description without an endpoint", () => {
  const orphan = factory.createHandlers((c) =>
    c.json({ success: true as const, data: {}, meta: {} }, 200),
  );
  describeOperation(orphan, {
    operationId: "get_orphan",
    tag: "Service",
    summary: "",
    description: "",
    data: z.object({}),
    response: "",
    example: { data: {} },
  });
  expect(() => buildDocument(app)).toThrow("The description get_orphan has no endpoint");
});
