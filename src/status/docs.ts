import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { exampleMeta, metaSchema } from "../openapi/envelope.ts";
import { health, version } from "./health.ts";
import { healthSchema, statusSchema } from "./model.ts";
import { ready } from "./ready.ts";

const tag = describeGroup({
  name: "Service",
  description: "Health and version. These endpoints do not need a key.",
});

describeOperation(health, {
  operationId: "get_health",
  tag,
  summary: "Check that the service is running",
  description:
    "Checks that the service is running (liveness), without using the database. `data` is the service's name and version.",
  data: healthSchema,
  component: "Health",
  response: "The service is running.",
  example: { data: `Network Inventory API ${exampleMeta.server_version}` },
});

describeOperation(ready, {
  operationId: "get_readiness",
  tag,
  summary: "Check that the service is ready",
  description:
    "Checks that the service can respond (readiness): the database responds in time and has this version's schema, and the sealing keys open the stored secrets. At most 60 requests per minute per client address.",
  data: statusSchema,
  response: "The service is ready.",
  example: { data: { status: "ok" } },
});

describeOperation(version, {
  operationId: "get_version",
  tag,
  summary: "Get the version",
  description: "Returns the versions of the API and the server.",
  data: metaSchema,
  component: "Version",
  response: "The version.",
  example: { data: exampleMeta },
});
