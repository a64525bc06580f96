import { Hono } from "hono";
import { expect, test } from "vitest";
import * as z from "zod";
import { app } from "../../src/app.ts";
import { declares } from "../../src/http/declares.ts";
import { factory } from "../../src/http/factory.ts";
import { describeOperation } from "../../src/openapi/describe.ts";
import { buildDocument } from "../../src/openapi/document.ts";
import { loadDescriptions } from "../../src/openapi/load.ts";

await loadDescriptions(app);

const thing = z.object({ id: z.string() }).meta({ id: "Thing" });
const success = <Data>(data: Data) => ({ success: true as const, data, meta: {} });
const texts = { tag: "Service", summary: "", description: "", response: "Things." };

const declared = z.object({
  headers: z.record(z.string(), z.unknown()),
  content: z
    .object({ "application/json": z.object({ schema: z.object({ $ref: z.string() }) }) })
    .optional(),
});

/** Parses an operation into the envelope name and the specific headers for each status. */
const responsesBelow400 = z.object({
  responses: z.record(z.string(), z.unknown()).transform((responses) =>
    Object.fromEntries(
      Object.entries(responses)
        .filter(([status]) => Number(status) < 400)
        .map(([status, response]) => {
          const { headers, content } = declared.parse(response);
          const name = content?.["application/json"].schema.$ref.split("/").at(-1) ?? null;
          const own = ["ETag", "Location", "Idempotent-Replayed"].filter((name) => name in headers);
          return [status, [name, ...own]];
        }),
    ),
  ),
});

test("an operation has the statuses and headers that its steps declare", () => {
  const creates = declares(
    {
      errors: ["request_conflict", "entity_not_found"],
      responses: { 201: ["ETag", "Location"] },
      requestHeaders: ["Idempotency-Key"],
    },
    (_, next) => next(),
  );
  const create = factory.createHandlers(creates, (c) => c.json(success({ id: "1" }), 201));
  const createMany = factory.createHandlers(
    declares({ errors: [], responses: { 201: [] } }, (_, next) => next()),
    (c) => c.json(success([{ id: "1" }]), 201),
  );
  const read = factory.createHandlers(
    declares({ errors: [], responses: { 200: ["ETag"], 304: ["ETag"] } }, (_, next) => next()),
    (c) => c.json(success({ id: "1" }), 200),
  );
  const list = factory.createHandlers((c) => c.json(success([{ id: "1" }]), 200));
  const example = { data: {} };
  describeOperation(create, { ...texts, operationId: "create_thing", data: thing, example });
  describeOperation(createMany, {
    ...texts,
    operationId: "bulk_create_things",
    data: z.array(thing),
    example,
  });
  describeOperation(read, { ...texts, operationId: "get_thing_by_id", data: thing, example });
  describeOperation(list, { ...texts, operationId: "list_things", data: z.array(thing), example });
  const things = new Hono()
    .post("/api/v1/things", ...create)
    .post("/api/v1/things/bulk", ...createMany)
    .get("/api/v1/things", ...list)
    .get("/api/v1/things/:id", ...read);
  const document = buildDocument({ routes: [...app.routes, ...things.routes] });

  const { paths } = document;
  const envelopes = Object.entries(paths)
    .filter(([path]) => path.startsWith("/api/v1/things"))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => [
        `${method} ${path}`,
        responsesBelow400.parse(operation).responses,
      ]),
    );
  expect(Object.fromEntries(envelopes)).toEqual({
    "post /api/v1/things": { 201: ["ThingResponse", "ETag", "Location"] },
    "post /api/v1/things/bulk": { 201: ["ThingArrayResponse"] },
    "get /api/v1/things": { 200: ["ThingListResponse"] },
    "get /api/v1/things/{id}": { 200: ["ThingResponse", "ETag"], 304: [null, "ETag"] },
  });
  expect(paths["/api/v1/things"]?.["post"]).toMatchObject({
    parameters: [{ name: "Idempotency-Key", in: "header", required: false }],
  });
});
