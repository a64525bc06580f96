import { readiness } from "../database/readiness.ts";
import { metaOf, success } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { describeOperation, mayFail } from "../http/openapi/describe.ts";
import { limitReadiness } from "../http/rate-limit.ts";
import { exampleMeta, healthSchema, metaSchema, statusSchema } from "./schema.ts";

/** GET /api/health: the Worker runs. Touches no database. */
export const health = factory.createHandlers((c) =>
  success(c, `Network Inventory API ${c.var.serverVersion}`),
);

/** GET /api/health/ready: the database and the sealing keys are ready too; 503 if not. */
export const ready = factory.createHandlers(mayFail("rate_limit_exceeded"), async (c) => {
  await limitReadiness(c.var.settings, c.req.raw);
  await readiness(c.var.settings);
  return success(c, { status: "ok" as const });
});

/** GET /api/version: the version of the API and of the server. */
export const version = factory.createHandlers((c) => success(c, metaOf(c)));

/* @__PURE__ */ describeOperation(health, () => ({
  operationId: "readHealth",
  tag: "Service",
  summary: "Check that the service runs",
  description: "Liveness: asks no database. `data` names the service and its version.",
  data: healthSchema,
  answer: "The service runs.",
  example: { data: `Network Inventory API ${exampleMeta.server_version}` },
}));

/* @__PURE__ */ describeOperation(ready, () => ({
  operationId: "readReadiness",
  tag: "Service",
  summary: "Check that the service can answer",
  description:
    "Readiness: the database answers in time, has the schema of this version, and the sealing keys open what is stored. At most 60 requests a minute per address.",
  data: statusSchema,
  answer: "The service can answer.",
  example: { data: { status: "ok" } },
}));

/* @__PURE__ */ describeOperation(version, () => ({
  operationId: "readVersion",
  tag: "Service",
  summary: "Read the version",
  description: "The version of the API and of the server.",
  data: metaSchema,
  answer: "The version.",
  example: { data: exampleMeta },
}));
