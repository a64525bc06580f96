import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { exampleMeta, metaSchema } from "../openapi/envelope.ts";
import { health, version } from "./health.ts";
import { healthSchema, statusSchema } from "./model.ts";
import { ready } from "./ready.ts";

const tag = describeGroup({
  name: "Service",
  description: "Health and version. These need no key.",
});

describeOperation(health, {
  operationId: "get_health",
  tag,
  summary: "Check that the service runs",
  description:
    "Checks that the service runs (liveness), without the database. `data` is the name of the service and its version.",
  data: healthSchema,
  component: "Health",
  response: "The service runs.",
  example: { data: `Network Inventory API ${exampleMeta.server_version}` },
});

describeOperation(ready, {
  operationId: "get_readiness",
  tag,
  summary: "Check that the service is ready",
  description:
    "Checks that the service can respond (readiness): the database responds in time and has the schema of this version, and the sealing keys open the stored secrets. At most 60 requests per minute and address.",
  data: statusSchema,
  response: "The service is ready.",
  example: { data: { status: "ok" } },
});

describeOperation(version, {
  operationId: "get_version",
  tag,
  summary: "Get the version",
  description: "Returns the version of the API and of the server.",
  data: metaSchema,
  component: "Version",
  response: "The version.",
  example: { data: exampleMeta },
});
