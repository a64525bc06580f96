import * as z from "zod";
import { describeGroup, describeOperation } from "../../openapi/describe.ts";
import { idParameter } from "../../openapi/texts.ts";
import { describeVerbs, orderParameters } from "../../openapi/verbs.ts";
import { cancelSession } from "./cancel.ts";
import { type DiscoverySession, sessionResource, sessionSchema } from "./model.ts";
import { rescanHost } from "./rescan.ts";
import { list } from "./routes.ts";
import { scanNetwork } from "./scan.ts";

const tag = describeGroup({
  name: "Scans",
  description: "Scans of networks by daemons.",
});

const example: DiscoverySession = {
  id: "2b7e5a30-8c4d-4f1e-9a6b-d5c0f3e81a27",
  created_at: "2026-04-22T15:40:00.000Z",
  updated_at: "2026-04-22T15:44:12.511Z",
  organization_id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  network_id: "277af32d-eb94-4677-88b1-472a3ec07051",
  daemon_id: "4b6502ac-1bbb-4218-81f8-1ca550a05169",
  host_id: null,
  phase: "Complete",
  progress: 100,
  hosts_discovered: 12,
  error: null,
  subnet_ids: null,
  is_full_scan: true,
  started_at: "2026-04-22T15:41:03.120Z",
  finished_at: "2026-04-22T15:44:12.511Z",
  cancel_requested_at: null,
};

const waiting: DiscoverySession = {
  ...example,
  id: "7c1d90e4-52b8-4d1a-8f3e-96a0b7c2d415",
  updated_at: example.created_at,
  network_id: "0bff26ce-1c14-493f-8128-2e2fc172fe18",
  daemon_id: "332e4a0c-4e19-4043-8fa8-d88a61f35941",
  phase: "Queued",
  progress: 0,
  hosts_discovered: null,
  is_full_scan: null,
  started_at: null,
  finished_at: null,
};

describeOperation(list, {
  operationId: "list_discovery_sessions",
  tag,
  summary: "List scans",
  description:
    "Lists the scans of the networks that your key can access. Filters combine with AND. The order is `group_by` ascending, then `order_by` in `order_direction`, then `id`. Scans are kept for 90 days after they end.",
  parameters: {
    daemon_id: { description: "Only scans of this daemon.", example: example.daemon_id },
    network_id: { description: "Only scans of this network.", example: example.network_id },
    phase: { description: "Only scans in this phase.", example: "Complete" },
    ...orderParameters("created_at", "phase"),
  },
  data: z.array(sessionSchema),
  response: "A page of scans.",
  example: { data: [example] },
});

describeVerbs(sessionResource, {
  tag,
  singular: "scan",
  plural: "scans",
  schema: sessionSchema,
  example,
  body: {},
  operationIds: { read: "get_discovery_session_by_id" },
});

describeOperation(scanNetwork, {
  operationId: "scan_network",
  tag,
  summary: "Scan a network",
  description:
    "Requests a scan of a daemon's network. A daemon runs one scan at a time while its other scans wait; it can have at most ten waiting or running scans. Within 24 hours, at most 300 scans can be requested for a daemon, and 10,000 across all of an organization's daemons. The next polling cycle sends the scan to the daemon, with the credentials of the network and its hosts.\n\nA full scan covers all TCP ports and takes minutes per host; a light scan covers well-known ports and the ports that its credentials need. If `is_full_scan` is null, a daemon's first scan is full, and then every third scan.\n\nSend an `Idempotency-Key` to repeat the request safely.",
  parameters: idParameter("Daemon", "daemon", example.daemon_id),
  data: sessionSchema,
  response: "The scan, which is waiting for its daemon.",
  example: { body: { subnet_ids: null, is_full_scan: null }, data: waiting },
  errorExamples: {
    entity_not_found: { entity: "Daemon", id: example.daemon_id },
    too_many_scans: { id: example.daemon_id, maximum: 10 },
  },
});

const rescanned = "e1e74882-b978-405e-89f9-922e1a30e63b";

describeOperation(rescanHost, {
  operationId: "rescan_host",
  tag,
  summary: "Rescan a host",
  description:
    "Requests a light scan that changes only this host: its records are updated and ended as by any other light scan, and other hosts and subnets that the scan finds are ignored.\n\nThe scan is run by a daemon on the host's network that is not unreachable and is attached to a subnet that contains an address of the host: if possible, the daemon that last found the host; otherwise, the one seen last. If there is none, the response is 409 `no_daemon`. The scan waits for the daemon's earlier scans, and counts towards the same limits. Since daemons cannot scan a single host, the daemon scans all subnets that it is attached to.\n\nSend an `Idempotency-Key` to repeat the request safely.",
  parameters: idParameter("Host", "host", rescanned),
  data: sessionSchema,
  response: "The scan, which is waiting for its daemon.",
  example: {
    body: {},
    data: {
      ...waiting,
      network_id: example.network_id,
      daemon_id: example.daemon_id,
      host_id: rescanned,
      is_full_scan: false,
    },
  },
  errorExamples: {
    entity_not_found: { entity: "Host", id: rescanned },
    no_daemon: { id: rescanned },
    too_many_scans: { id: example.daemon_id, maximum: 10 },
  },
});

describeOperation(cancelSession, {
  operationId: "cancel_discovery_session",
  tag,
  summary: "Cancel a scan",
  description:
    "Cancels a scan. A waiting scan is `Cancelled` immediately. A running scan is `Cancelled` when the next polling cycle has cancelled it on its daemon; until then its phase does not change, and `cancel_requested_at` is set. For a scan that has ended, the response is 409. A request body is ignored.",
  parameters: { id: { description: "The scan's id.", example: waiting.id } },
  data: sessionSchema,
  response: "The scan as it is now.",
  example: {
    data: {
      ...waiting,
      phase: "Cancelled",
      finished_at: "2026-04-22T15:40:20.000Z",
      cancel_requested_at: "2026-04-22T15:40:20.000Z",
    },
  },
  errorExamples: {
    entity_not_found: { entity: "DiscoverySession", id: example.id },
    scan_ended: { id: example.id, phase: example.phase },
  },
});
