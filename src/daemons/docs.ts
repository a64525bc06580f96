import * as z from "zod";
import { describeOperation } from "../openapi/describe.ts";
import { emptySchema } from "../openapi/envelope.ts";
import { listDaemons } from "./list.ts";
import { daemonSchema } from "./model.ts";
import { readDaemon } from "./read.ts";
import { retryDaemonConnection } from "./retry-connection.ts";

const daemonExample: z.output<typeof daemonSchema> = {
  id: "8649506c-8329-411f-89da-ebe9217ea046",
  created_at: "2026-02-03T10:00:00.000Z",
  updated_at: "2026-04-22T15:57:37.843Z",
  organization_id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  network_id: "a902d4d6-5310-41e1-8ca9-46709b4e7ebf",
  host_id: null,
  name: "cellar",
  url: "https://cellar.example.com:60073",
  mode: "server_poll",
  version: "1.4.2",
  version_status: { version: "1.4.2", status: "Current", warnings: [] },
  last_seen: "2026-04-22T15:40:12.000Z",
  is_unreachable: true,
  unreachable_since: "2026-04-22T15:42:30.000Z",
  consecutive_failures: 5,
  next_poll_at: null,
  last_error: { code: "timed_out", http_status: null, occurred_at: "2026-04-22T15:42:30.000Z" },
};

describeOperation(listDaemons, {
  operationId: "get_daemons",
  tag: "Daemons",
  summary: "List daemons",
  description:
    "Lists the daemons on the networks that your key reaches, the oldest first. Filters combine with AND; an unknown id gives an empty list.",
  parameters: {
    network_id: {
      description: "Only daemons on this network.",
      example: daemonExample.network_id,
    },
    ids: {
      description: "Only daemons with these ids. Repeat the parameter for up to 100 ids.",
      example: daemonExample.id,
    },
    is_unreachable: {
      description:
        "`true`: only daemons that the service no longer polls; `false`: only the others.",
      example: "true",
    },
    q: {
      description:
        "Only daemons with this id, or with this text in their name or URL (case-insensitive).",
      example: "cellar",
    },
  },
  data: z.array(daemonSchema),
  response: "A page of daemons.",
  example: { data: [daemonExample] },
});

describeOperation(readDaemon, {
  operationId: "get_daemon_by_id",
  tag: "Daemons",
  summary: "Get a daemon",
  description: "Returns one daemon, with the time and cause of its last failure.",
  parameters: { id: { description: "The daemon's id.", example: daemonExample.id } },
  data: daemonSchema,
  response: "The daemon.",
  example: { data: daemonExample },
});

describeOperation(retryDaemonConnection, {
  operationId: "retry_daemon_connection",
  tag: "Daemons",
  summary: "Retry the connection to a daemon",
  description:
    "Clears `is_unreachable` and the count of failures, so that the next polling cycle contacts the daemon again. Idempotent: the response is the same for a reachable daemon. A request body is ignored.",
  parameters: { id: { description: "The daemon's id.", example: daemonExample.id } },
  data: emptySchema,
  response: "The service will contact the daemon again.",
  example: { data: {} },
});
