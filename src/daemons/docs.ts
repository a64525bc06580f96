import * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { emptySchema } from "../openapi/envelope.ts";
import { idParameter } from "../openapi/texts.ts";
import {
  conditionalUpsert,
  describeVerbs,
  externalIdFilter,
  externalIdPath,
  nameFilter,
  orderParameters,
  upsertRule,
} from "../openapi/verbs.ts";
import { daemonResource, daemonSchema } from "./model.ts";
import { provisionDaemon, provisionedSchema } from "./provision.ts";
import { retryDaemonConnection } from "./retry-connection.ts";
import { list } from "./routes.ts";
import {
  reachabilityDeadlineMs,
  reachabilitySchema,
  testReachability,
} from "./test-reachability.ts";
import { upsert } from "./upsert.ts";

const tag = describeGroup({
  name: "Daemons",
  description: "Discovery agents that the service polls.",
});

const daemonExample: z.output<typeof daemonSchema> = {
  id: "332e4a0c-4e19-4043-8fa8-d88a61f35941",
  created_at: "2026-02-03T10:00:00.000Z",
  updated_at: "2026-04-22T15:57:37.843Z",
  organization_id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  network_id: "0bff26ce-1c14-493f-8128-2e2fc172fe18",
  host_id: null,
  name: "boathouse",
  url: "https://boathouse.example.com:60073",
  external_id: null,
  metadata: {},
  tags: ["aed75b45-9130-4bef-8d61-1c2d0a47133c"],
  scan_schedule: { cron: "30 2 * * *", timezone: "Europe/Berlin", is_full_scan: null },
  mode: "server_poll",
  version: "1.4.2",
  version_status: { version: "1.4.2", status: "Current", warnings: [] },
  last_seen: "2026-04-22T15:40:12.000Z",
  is_unreachable: true,
  unreachable_since: "2026-04-22T15:42:30.000Z",
  consecutive_failures: 5,
  next_poll_at: null,
  last_error: { code: "timed_out", http_status: null, occurred_at: "2026-04-22T15:42:30.000Z" },
  capabilities: {
    has_docker_socket: true,
    interfaced_subnet_ids: ["9606785e-20bd-4c03-8c0a-899dc2b8d8da"],
  },
  user_id: null,
  receives_credentials: true,
};

const provisioned: z.output<typeof daemonSchema> = {
  ...daemonExample,
  id: "6f3b1f5e-0d0c-4a53-9a2b-5a2f0f6f3c55",
  created_at: "2026-04-22T15:57:37.843Z",
  updated_at: "2026-04-22T15:57:37.843Z",
  network_id: "a902d4d6-5310-41e1-8ca9-46709b4e7ebf",
  name: "jetty",
  url: "https://jetty.example.com:60073",
  tags: [],
  version: null,
  version_status: { version: null, status: "Unknown", warnings: [] },
  last_seen: null,
  is_unreachable: false,
  unreachable_since: null,
  consecutive_failures: 0,
  next_poll_at: "2026-04-22T15:57:37.843Z",
  last_error: null,
  capabilities: { has_docker_socket: false, interfaced_subnet_ids: [] },
};

describeOperation(list, {
  operationId: "get_daemons",
  tag,
  summary: "List daemons",
  description:
    "Lists the daemons on the networks that your key can access, oldest first. Filters combine with AND; an unknown id gives an empty list.",
  parameters: {
    network_id: {
      description: "Only daemons on this network.",
      example: daemonExample.network_id,
    },
    ...nameFilter(daemonExample),
    ...externalIdFilter,
    ids: {
      description: "Only daemons with these ids. Repeat the parameter for up to 350 ids.",
      example: daemonExample.id,
    },
    tag_ids: {
      description: "Only daemons with one of these tags.",
      example: "aed75b45-9130-4bef-8d61-1c2d0a47133c",
    },
    ...orderParameters("name"),
    is_unreachable: {
      description:
        "`true`: only daemons that the service no longer polls; `false`: only daemons that it polls.",
      example: true,
    },
    q: {
      description:
        "Only daemons with this id, or with this text in their names or URLs (case-insensitive).",
      example: "boat",
    },
  },
  data: z.array(daemonSchema),
  response: "A page of daemons.",
  example: { data: [daemonExample] },
});

describeOperation(retryDaemonConnection, {
  operationId: "retry_daemon_connection",
  tag,
  summary: "Retry the connection to a daemon",
  description:
    "Clears `is_unreachable` and the failure count, so that the next polling cycle contacts the daemon again. Idempotent: the response is the same for a reachable daemon. A request body is ignored.",
  parameters: idParameter("Daemon", "daemon", daemonExample.id),
  data: emptySchema,
  response: "The service will contact the daemon again.",
  example: { data: {} },
});

describeOperation(testReachability, {
  operationId: "test_daemon_reachability",
  tag,
  summary: "Test the URL of a daemon",
  description: `Sends one request to a URL, \`GET URL/api/health\` without a key, for example before you provision a daemon there. Waits for the response for ${reachabilityDeadlineMs / 1000} seconds, and does not follow redirects. At most 10 tests per minute and organization.`,
  data: reachabilitySchema,
  response: "The result.",
  example: {
    body: { url: "https://jetty.example.com:60073", check_health: true },
    data: { reachable: false, error: "dns_failed", health: false },
  },
});

describeOperation(provisionDaemon, {
  operationId: "provision_daemon",
  tag,
  summary: "Provision a daemon",
  description:
    "Creates a daemon, and the key with which it must be started. The key is returned only once. The next polling cycle contacts the daemon at its URL. Its scans receive the credentials of the network only if an Admin provisions it, or confirms it with PUT (`receives_credentials`).\n\nSend an `Idempotency-Key` to repeat the request safely. A repeated request returns only the record: `daemon_api_key` is then null.",
  data: provisionedSchema,
  response: "The daemon and its key.",
  example: {
    body: {
      name: "jetty",
      network_id: provisioned.network_id,
      url: "https://jetty.example.com:60073",
      scan_schedule: { cron: "30 2 * * *", timezone: "Europe/Berlin", is_full_scan: null },
    },
    data: {
      daemon: provisioned,
      daemon_api_key: "inv_d_pATZ9ZDq3qG2N0nnuJpcpYUr5yRKWBdXSgfCw1CVR8c",
    },
  },
});

describeOperation(upsert, {
  operationId: "upsert_daemon",
  tag,
  summary: "Provision or replace a daemon",
  description: `Replaces the daemon with this external id (200), or provisions it (201) with the key with which it must be started. The key is returned only once: in a 200, \`daemon_api_key\` is null. ${upsertRule} A new daemon cannot have \`receives_credentials\`.\n\n${conditionalUpsert}`,
  parameters: externalIdPath,
  data: provisionedSchema,
  response: "The daemon, and its key if it is new.",
  example: {
    body: {
      name: "jetty 2",
      network_id: provisioned.network_id,
      url: "https://jetty-2.example.com:60073",
    },
    data: {
      daemon: { ...provisioned, external_id: "cmdb-1042" },
      daemon_api_key: "inv_d_pATZ9ZDq3qG2N0nnuJpcpYUr5yRKWBdXSgfCw1CVR8c",
    },
  },
});

describeVerbs(daemonResource, {
  tag,
  singular: "daemon",
  plural: "daemons",
  schema: daemonSchema,
  example: daemonExample,
  body: {
    name: daemonExample.name,
    network_id: daemonExample.network_id,
    url: daemonExample.url,
    tags: daemonExample.tags,
    scan_schedule: daemonExample.scan_schedule,
  },
  rules:
    "Only an Admin can set `receives_credentials` to true (else 403 `auth_permission_denied`); if omitted, it does not change. A daemon's network cannot change. Neither can the scheme, host and port of its URL, to which its key is bound.",
  deletion:
    "The service stops polling it. Its scans are ended: a running scan is also cancelled on the daemon if the daemon responds within five minutes. The records that it reported are kept.",
});
