import * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { newestFirstCursor } from "../openapi/texts.ts";
import { showDiff } from "./diff.ts";
import { showHistogram } from "./histogram.ts";
import { type Histogram, histogramSchema } from "./histogram-model.ts";
import { listChanges } from "./list.ts";
import { type Change, changeSchema, diffByHostSchema, diffSchema } from "./model.ts";
import * as timelines from "./timelines.ts";

const tag = describeGroup({
  name: "Changes",
  description: "Changes to the inventory, each exactly once and in order.",
});

/** A change in the demo data. */
export const changeExample: Change = {
  id: "bTdyeGwydDcgUG9ydCAxNWUzMmJlMThmOGU0MmQ4OGEyY2U4ZTA4NzUwOTEwNw",
  at: "2025-03-02T03:16:01.357Z",
  change: "created",
  entity: "Port",
  entity_id: "15e32be1-8f8e-42d8-8a2c-e8e087509107",
  host_id: "e1e74882-b978-405e-89f9-922e1a30e63b",
  host_label: "nas",
  network_id: "277af32d-eb94-4677-88b1-472a3ec07051",
  label: "445/Tcp",
  label_before: null,
  changed: [],
  before: null,
  after: null,
  source: { type: "System" },
  discovery_id: null,
  actor: { type: "system", id: null, name: null },
  request_id: null,
};

const changes = z.array(changeSchema).max(1000);

const include = {
  description:
    "`records`: `before` and `after` are whole records instead of only the changed fields. `labels`: `meta.labels` contains the name of each record that the page mentions, by its id.",
  example: "records",
  component: "ChangesInclude",
};

describeOperation(listChanges, {
  operationId: "get_changes",
  tag,
  summary: "Follow changes",
  description:
    "Lists changes, oldest first, in the order `at`, `entity`, `entity_id`. Send `meta.next_cursor` as `cursor` of the next request: immediately if `meta.has_more` is true, else after `Retry-After`. Such a reader sees each change exactly once. A change is listed once no transaction can commit with an earlier instant any more, so a long import delays the changes after it. To start from the current state, list everything with `at=T`, then follow the changes with `since=T`. If filters exclude most changes, a page can be empty while `has_more` is true. Filters may change between requests. If the history is no longer kept, the response is 410: start again.",
  parameters: {
    cursor: {
      description:
        "The position: `meta.next_cursor` of the previous response, or `now` for changes from now on. If absent, the list starts with the oldest change that is kept.",
    },
    since: {
      description: "An instant instead of a cursor: only later changes.",
      example: "2025-03-01T00:00:00Z",
    },
    until: {
      description:
        "An instant: the list ends with the changes at this instant. A cursor contains the `until` of its request; if both are sent, the parameter applies.",
      example: "2025-04-01T00:00:00Z",
    },
    network_id: { description: "Only changes on this network.", example: changeExample.network_id },
    entity: {
      description: "Only changes to these kinds of records.",
      example: changeExample.entity,
    },
    host_id: {
      description: "Only changes to this host and its children.",
      example: "e1e74882-b978-405e-89f9-922e1a30e63b",
      component: "ChangesHostId",
    },
    entity_id: { description: "Only changes to this record.", example: changeExample.entity_id },
    change: { description: "Only changes of these kinds.", example: changeExample.change },
    include,
    limit: { description: "Maximum number of changes.", example: 100, component: "ChangesLimit" },
    wait: {
      description:
        "With a cursor of a previous response, the maximum number of seconds to wait for a change if there are none. A response without `Retry-After` can be followed by the next request immediately.",
      example: 20,
    },
  },
  data: changes,
  response: "The changes after the cursor.",
  example: { data: [changeExample] },
});

const histogramExample: Histogram = {
  from: "2025-03-01T00:00:00.000Z",
  to: "2025-04-01T00:00:00.000Z",
  interval_ms: 26_784_000,
  is_estimate: false,
  buckets: [
    {
      at: "2025-03-02T00:57:36.000Z",
      begun: 1,
      changed: 0,
      ended: 0,
      transactions: 1,
      first_at: changeExample.at,
      last_at: changeExample.at,
    },
  ],
};

describeOperation(showHistogram, {
  operationId: "get_changes_histogram",
  tag,
  summary: "Count changes over time",
  description:
    "Counts the changes in equal parts of an interval, for example to draw a timeline. The sum of `begun`, `changed` and `ended` is the number of changes that the list of changes has after `from`, up to `to`. Buckets without changes are omitted. To find an individual change, repeat the request with the `at` of a bucket as `from`, and `at` + `interval_ms` as `to`. The histogram does not wait for running transactions: in that case, `to` is earlier than requested. If there are more than 1,000,000 changes, they are not counted: `is_estimate` is true, and a bucket has only its first and last instant and a minimum number of transactions. With `If-None-Match`, the response is 304 while the histogram still has that `ETag`; send a `to` in the past, since the default changes with each request.",
  parameters: {
    from: {
      description:
        "The start of the interval: only later changes are counted. If absent, the interval starts directly before the first matching change that is kept.",
      example: "2025-03-01T00:00:00Z",
    },
    to: {
      description: "The end of the interval; defaults to now.",
      example: "2025-04-01T00:00:00Z",
    },
    buckets: { description: "Maximum number of buckets.", example: 100 },
    network_id: {
      description: "Only changes on these networks, at most 100.",
      example: changeExample.network_id,
    },
    entity: {
      description: "Only changes to these kinds of records.",
      example: changeExample.entity,
    },
    host_id: {
      description: "Only changes to this host and its children.",
      example: "e1e74882-b978-405e-89f9-922e1a30e63b",
      component: "ChangesHostId",
    },
  },
  data: histogramSchema,
  response: "The number of changes in each bucket.",
  example: { data: histogramExample },
});

const pages = {
  cursor: newestFirstCursor,
  include,
  limit: { description: "Maximum number of changes.", example: 100, component: "ChangesLimit" },
};

/** The timelines, each with the noun for its record and an example id. */
const records = [
  [timelines.subnets, "subnet", "9606785e-20bd-4c03-8c0a-899dc2b8d8da"],
  [timelines.ipAddresses, "ip_address", "cdb4cd21-ff85-40a2-8d2c-e5b5da88f3cd"],
  [timelines.interfaces, "interface", "800e826d-b120-4de3-845f-4caef6a6724c"],
  [timelines.neighbors, "neighbor", "595a30c0-fb7e-465a-801b-20f217ea5a3e"],
  [timelines.ports, "port", changeExample.entity_id],
  [timelines.services, "service", "7b740975-b427-4103-82f4-f8fe7cf95874"],
  [timelines.bindings, "binding", "b95882a0-719c-4792-89cc-5ea18ee7b214"],
] as const;

const timeline = (noun: string, id: string) => ({
  operationId: `get_${noun}_timeline`,
  tag,
  summary: `List the changes to ${noun === "ip_address" ? "an address" : noun === "interface" ? "an interface" : `a ${noun}`}`,
  description:
    "Lists the changes to one record, newest first, even if it was deleted. Send `meta.next_cursor` as `cursor` while `meta.has_more` is true.",
  parameters: { id: { description: "The record.", example: id }, ...pages },
  data: changes,
  response: "The changes to the record before the cursor.",
  responseComponent: "Timeline",
  example: { data: [changeExample] },
});

for (const [handlers, noun, id] of records) {
  describeOperation(handlers, timeline(noun, id));
}

const ofHost = timeline("host", "e1e74882-b978-405e-89f9-922e1a30e63b");
describeOperation(timelines.hosts, {
  ...ofHost,
  description: `${ofHost.description} The list includes changes to its addresses, ports, interfaces, neighbors, services and bindings.`,
  parameters: {
    ...ofHost.parameters,
    include_children: {
      description: "`false`: only changes to the host itself.",
      example: false,
    },
  },
});

const differences = { added: 0, removed: 0, changed: 0, returned: 0 };
describeOperation(showDiff, {
  operationId: "get_diff",
  tag,
  summary: "Compare two instants",
  description:
    "Shows the net change to each record between `from` and `to`, or between the ends of two scans. It omits records that were created and deleted, or changed and changed back, in between. The order is network, host (subnets last), entity, label, id. The comparison does not wait for running transactions: in that case, `to` is earlier than requested; use it as the `from` of the next request. If more than 1,000,000 versions began or ended in between, the response is 409 `range_too_large`: choose a narrower interval, or filter by network, host or kind.",
  parameters: {
    from: {
      description: "The earlier instant. Omit it with `from_session`.",
      example: "2022-01-01T00:00:00Z",
    },
    from_session: { description: "A completed scan whose end is used as `from`." },
    to: { description: "The later instant; defaults to now.", example: "2025-04-01T00:00:00Z" },
    to_session: { description: "A completed scan whose end is used as `to`." },
    network_id: { description: "Only records on this network.", example: changeExample.network_id },
    entity: { description: "Only records of these kinds.", example: changeExample.entity },
    host_id: {
      description: "Only this host and its children at either instant.",
      example: "e1e74882-b978-405e-89f9-922e1a30e63b",
    },
    include,
    by: {
      description:
        "`host`: each item is a host, with the numbers of its differences, in the order network, host.",
    },
    limit: { description: "Maximum number of differences; 0 for all.", example: 50 },
    offset: { description: "Number of differences to skip.", example: 0 },
  },
  data: z.union([diffSchema, diffByHostSchema]),
  component: "Diff",
  response: "The differences.",
  example: {
    data: {
      from: "2022-01-01T00:00:00.000Z",
      to: "2025-04-01T00:00:00.000Z",
      counts: {
        Binding: differences,
        Host: differences,
        IPAddress: differences,
        Interface: differences,
        Neighbor: differences,
        Port: { ...differences, added: 1 },
        Service: differences,
        Subnet: differences,
      },
      items: [{ ...changeExample, change: "added" }],
    },
  },
  errorExamples: {
    entity_reference_invalid: {
      entity: "DiscoverySession",
      field: "query.from_session",
      id: "0b9f0c3a-66cb-4d0e-8f0e-0d3c1a5f7e21",
    },
  },
});
