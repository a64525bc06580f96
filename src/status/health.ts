import { readiness } from "../database/readiness.ts";
import { meta, success } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { describeOperation, mayFail } from "../http/openapi/describe.ts";
import { limitAddress } from "../http/rate-limit.ts";
import { metaSchema, statusSchema } from "./schema.ts";

/** GET /api/health: the Worker runs. Touches no database. */
export const health = factory.createHandlers((c) => success(c, { status: "ok" as const }));

/** GET /api/health/ready: the database answers in time too; 503 if it does not. */
export const ready = factory.createHandlers(mayFail("rate_limit_exceeded"), async (c) => {
  await limitAddress(c.var.settings, c.req.raw);
  await readiness(c.var.settings);
  return success(c, { status: "ok" as const });
});

/** GET /api/version: the version of the API and of the server. */
export const version = factory.createHandlers((c) => success(c, meta));

/* @__PURE__ */ describeOperation(health, () => ({
  operationId: "readHealth",
  tag: "Service",
  summary: "Check that the service runs",
  description: "Liveness: asks no database.",
  data: statusSchema,
  answer: "The service runs.",
  example: { data: { status: "ok" } },
}));

/* @__PURE__ */ describeOperation(ready, () => ({
  operationId: "readReadiness",
  tag: "Service",
  summary: "Check that the service can answer",
  description: "Readiness: asks the database, with a deadline.",
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
  example: { data: meta },
}));
