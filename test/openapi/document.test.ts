import { Hono } from "hono";
import { expect, test } from "vitest";
import * as z from "zod";
import { app } from "../../src/app.ts";
import committed from "../../src/docs/assets/openapi.json" with { type: "json" };
import { factory } from "../../src/http/factory.ts";
import { describeOperation } from "../../src/openapi/describe.ts";
import { buildDocument } from "../../src/openapi/document.ts";
import { loadDescriptions } from "../../src/openapi/load.ts";

await loadDescriptions();

test("the committed document is that of the code", () => {
  expect(committed).toEqual(JSON.parse(JSON.stringify(buildDocument(app))));
});

test("every operation has an id of its own", () => {
  const ids = Object.values(committed.paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  // Clients name their functions by them: one that changes breaks them.
  expect(ids.sort()).toEqual([
    "get_all_credentials",
    "get_daemon_by_id",
    "get_daemons",
    "get_health",
    "get_readiness",
    "get_version",
    "list_bindings",
    "retry_daemon_connection",
    "update_credential",
    "update_org_name",
  ]);
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
