import * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { showDiff } from "./diff.ts";
import { listChanges } from "./list.ts";
import { type Change, changeSchema, diffSchema } from "./model.ts";
import * as timelines from "./timelines.ts";

const tag = describeGroup({
  name: "Changes",
  description: "What changed on the networks: every change once, in its order.",
});

const example: Change = {
  id: "bTdyeGwydDcgUG9ydCAxNWUzMmJlMThmOGU0MmQ4OGEyY2U4ZTA4NzUwOTEwNw",
  at: "2025-03-02T03:16:01.357Z",
  change: "created",
  entity: "Port",
  entity_id: "15e32be1-8f8e-42d8-8a2c-e8e087509107",
  host_id: "e1e74882-b978-405e-89f9-922e1a30e63b",
  network_id: "277af32d-eb94-4677-88b1-472a3ec07051",
  label: "445/Tcp",
  changed: [],
  before: null,
  after: null,
  source: { type: "System" },
  discovery_id: null,
  actor: { type: "system", id: null, name: null },
  request_id: null,
};

const changes = z.array(changeSchema).max(1000);

describeOperation(listChanges, {
  operationId: "get_changes",
  tag,
  summary: "Follow what changes",
  description:
    "Lists changes, oldest first, in the order `at`, `entity`, `entity_id`. Send `meta.next_cursor` as `cursor` of the next request: at once if `meta.has_more` says so, else after `Retry-After`. A reader who does sees every change exactly once. A change is shown once no transaction can commit with an earlier instant, so a long import delays what came after it. To begin with what there is, list everything with `at=T`, then follow `since=T`. A page can be empty and have more where filters leave out much; filters may differ from request to request. What the organization keeps no longer is 410: begin anew.",
  parameters: {
    cursor: {
      description:
        "Where to go on: `meta.next_cursor` of the request before, or `now` for what comes from now on. Left out, all changes from the beginning of what is kept.",
    },
    since: {
      description: "An instant instead of a cursor: what changed after it.",
      example: "2025-03-01T00:00:00Z",
    },
    network_id: { description: "Only those in this network.", example: example.network_id },
    entity: { description: "Only those of these kinds of records.", example: example.entity },
    host_id: {
      description: "Only those of this host and of what belongs to it.",
      example: "e1e74882-b978-405e-89f9-922e1a30e63b",
    },
    entity_id: { description: "Only those of this record.", example: example.entity_id },
    change: { description: "Only these changes.", example: example.change },
    include: {
      description: "`records`: `before` and `after` are whole records, not only what differs.",
      example: "records",
    },
    limit: { description: "How many changes at most.", example: 100 },
  },
  data: changes,
  response: "The changes behind the cursor.",
  example: { data: [example] },
});

const pages = {
  cursor: {
    description: "Where to go on: `meta.next_cursor` of the request before. Left out, the newest.",
  },
  include: {
    description: "`records`: `before` and `after` are whole records, not only what differs.",
    example: "records",
  },
  limit: { description: "How many changes at most.", example: 100 },
};

/** What differs between the timelines: the noun of the record, and one of the examples. */
const records = [
  [timelines.subnets, "subnet", "9606785e-20bd-4c03-8c0a-899dc2b8d8da"],
  [timelines.ipAddresses, "ip_address", "cdb4cd21-ff85-40a2-8d2c-e5b5da88f3cd"],
  [timelines.interfaces, "interface", "800e826d-b120-4de3-845f-4caef6a6724c"],
  [timelines.ports, "port", example.entity_id],
  [timelines.services, "service", "7b740975-b427-4103-82f4-f8fe7cf95874"],
  [timelines.bindings, "binding", "b95882a0-719c-4792-89cc-5ea18ee7b214"],
] as const;

const timeline = (noun: string, id: string) => ({
  operationId: `get_${noun}_timeline`,
  tag,
  summary: `Show what became of a ${noun === "ip_address" ? "address" : noun}`,
  description:
    "Lists the changes of one record, newest first, also of a deleted one. Send `meta.next_cursor` as `cursor` while `meta.has_more` is true.",
  parameters: { id: { description: "The record.", example: id }, ...pages },
  data: changes,
  response: "The changes of the record before the cursor.",
  example: { data: [example] },
});

for (const [handlers, noun, id] of records) {
  describeOperation(handlers, timeline(noun, id));
}

const ofHost = timeline("host", "e1e74882-b978-405e-89f9-922e1a30e63b");
describeOperation(timelines.hosts, {
  ...ofHost,
  description: `${ofHost.description} Those of its addresses, ports, interfaces, services and bindings are among them.`,
  parameters: {
    ...ofHost.parameters,
    include_children: {
      description: "`false`: only the changes of the host itself.",
      example: "false",
    },
  },
});

const differences = { added: 0, removed: 0, changed: 0, returned: 0 };
describeOperation(showDiff, {
  operationId: "get_diff",
  tag,
  summary: "Compare two instants",
  description:
    "Shows what became of each record between `from` and `to`, or between the ends of two scans: the net effect. A record that came and went, or was changed and changed back, is not among it. In the order network, host (subnets last), entity, label, id. What is under way is not waited for: `to` then is earlier than asked for, and the `from` of the next request. Where more than 1,000,000 versions began or ended in between, it is 409 `range_too_large`: ask for a narrower interval, a network, a host or a kind.",
  parameters: {
    from: {
      description: "The instant to compare with. Left out with `from_session`.",
      example: "2022-01-01T00:00:00Z",
    },
    from_session: { description: "A scan that is over: its end is `from`." },
    to: { description: "The later instant. Left out, now.", example: "2025-04-01T00:00:00Z" },
    to_session: { description: "A scan that is over: its end is `to`." },
    network_id: { description: "Only what is in this network.", example: example.network_id },
    entity: { description: "Only records of these kinds.", example: example.entity },
    host_id: {
      description: "Only this host and what belonged to it at one of the instants.",
      example: "e1e74882-b978-405e-89f9-922e1a30e63b",
    },
    include: {
      description: "`records`: `before` and `after` are whole records, not only what differs.",
      example: "records",
    },
    limit: { description: "How many differences at most; 0 for all.", example: 50 },
    offset: { description: "How many differences are left out before.", example: 0 },
  },
  data: diffSchema,
  response: "What differs.",
  example: {
    data: {
      from: "2022-01-01T00:00:00.000Z",
      to: "2025-04-01T00:00:00.000Z",
      counts: {
        Binding: differences,
        Host: differences,
        IPAddress: differences,
        Interface: differences,
        Port: { ...differences, added: 1 },
        Service: differences,
        Subnet: differences,
      },
      items: [{ ...example, change: "added" }],
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
