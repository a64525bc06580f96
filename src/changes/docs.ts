import * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { listChanges } from "./list.ts";
import { type Change, changeSchema } from "./model.ts";

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

describeOperation(listChanges, {
  operationId: "get_changes",
  tag,
  summary: "Follow what changes",
  description:
    "Lists changes, oldest first, in the order `at`, `entity`, `entity_id`. Send `meta.next_cursor` as `cursor` of the next request: at once if `meta.has_more` says so, else after `Retry-After`. A reader who does sees every change exactly once. A change is shown once no transaction can commit with an earlier instant, so a long import delays what came after it. To begin with what there is, list everything with `at=T`, then follow `since=T`. A page can be empty and have more where filters leave out much; filters may differ from request to request.",
  parameters: {
    cursor: {
      description:
        "Where to go on: `meta.next_cursor` of the request before, or `now` for what comes from now on. Left out, all changes from the beginning.",
      example: "now",
    },
    since: {
      description: "An instant instead of a cursor: what changed after it.",
      example: "2025-04-01T08:00:00Z",
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
  data: z.array(changeSchema).max(1000),
  response: "The changes behind the cursor.",
  example: { data: [example] },
});
