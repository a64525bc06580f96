import * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { dependencySchema, listDependencies } from "./dependencies.ts";

const tag = describeGroup({
  name: "Dependencies",
  description: "For clients that ask for them: this service keeps none.",
});

describeOperation(listDependencies, {
  operationId: "get_all_dependencies",
  tag,
  summary: "List dependencies",
  description:
    "Lists no dependencies: this service keeps none. Some clients ask for them before anything else.",
  parameters: {
    network_id: { description: "Ignored.", example: "277af32d-eb94-4677-88b1-472a3ec07051" },
  },
  data: z.array(dependencySchema).max(0),
  response: "An empty page.",
  example: { data: [] },
});
