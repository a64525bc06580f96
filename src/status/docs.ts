import { describeOperation } from "../openapi/describe.ts";
import { exampleMeta, metaSchema } from "../openapi/envelope.ts";
import { health, ready, version } from "./health.ts";
import { healthSchema, statusSchema } from "./model.ts";

describeOperation(health, {
  operationId: "readHealth",
  tag: "Service",
  summary: "Check that the service runs",
  description: "Liveness: asks no database. `data` names the service and its version.",
  data: healthSchema,
  answer: "The service runs.",
  example: { data: `Network Inventory API ${exampleMeta.server_version}` },
});

describeOperation(ready, {
  operationId: "readReadiness",
  tag: "Service",
  summary: "Check that the service can answer",
  description:
    "Readiness: the database answers in time, has the schema of this version, and the sealing keys open what is stored. At most 60 requests a minute per address.",
  data: statusSchema,
  answer: "The service can answer.",
  example: { data: { status: "ok" } },
});

describeOperation(version, {
  operationId: "readVersion",
  tag: "Service",
  summary: "Read the version",
  description: "The version of the API and of the server.",
  data: metaSchema,
  answer: "The version.",
  example: { data: exampleMeta },
});
