import { Hono } from "hono";
import { expect, test } from "vitest";
import * as z from "zod";
import { app } from "../../src/app.ts";
import committed from "../../src/docs/assets/openapi.json" with { type: "json" };
import { factory } from "../../src/http/factory.ts";
import { describeOperation } from "../../src/openapi/describe.ts";
import { buildDocument } from "../../src/openapi/document.ts";
import { loadDescriptions } from "../../src/openapi/load.ts";

await loadDescriptions(app);

test("the committed document is that of the code", () => {
  expect(committed).toEqual(JSON.parse(JSON.stringify(buildDocument(app))));
});

test("every operation has an id of its own, in snake case", () => {
  const ids = Object.values(committed.paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z]+(_[a-z]+)*$/.test(id))).toEqual([]);
  // Tools of the reference's clients are named by these (API contract, section 7).
  expect(ids).toEqual(
    expect.arrayContaining([
      "get_all_credentials",
      "update_credential",
      "update_org_name",
      "retry_daemon_connection",
      "list_bindings",
      "get_daemons",
      "get_daemon_by_id",
    ]),
  );
});

test("an endpoint without a description is an error", () => {
  const undescribed = new Hono().get("/api/v1/things", (c) => c.text(""));
  expect(() => buildDocument(undescribed)).toThrow("GET /api/v1/things has no description");
});

test("a description without an endpoint is an error", () => {
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
