import * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { keptNowhere, listDaemonKeys, listDependencies, listDiscoveries } from "./empty-lists.ts";

const tag = describeGroup({
  name: "Other clients",
  description:
    "Kinds of records that some clients request first, but that this service does not have.",
});

const none = {
  tag,
  parameters: {
    network_id: {
      description: "Ignored.",
      example: "277af32d-eb94-4677-88b1-472a3ec07051",
      component: "IgnoredNetworkId",
    },
  },
  data: z.array(keptNowhere).max(0),
  response: "An empty page.",
  responseComponent: "EmptyPage",
  example: { data: [] },
};

describeOperation(listDependencies, {
  ...none,
  operationId: "get_all_dependencies",
  summary: "List dependencies",
  description: "Always an empty list: this service does not have dependencies between services.",
});

describeOperation(listDaemonKeys, {
  ...none,
  operationId: "get_daemon_api_keys",
  summary: "List daemons' API keys",
  description: "Always an empty list: daemons do not need API keys, since the service polls them.",
});

describeOperation(listDiscoveries, {
  ...none,
  operationId: "get_discoveries",
  summary: "List discoveries",
  description:
    "Always an empty list: schedules are fields of daemons, and scans are at `/discovery/sessions`.",
});
