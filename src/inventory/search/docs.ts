import * as z from "zod";
import { describeGroup, describeOperation } from "../../openapi/describe.ts";
import { type SearchResult, searchResultSchema } from "./model.ts";
import { search } from "./read.ts";

const tag = describeGroup({
  name: "Search",
  description: "One search over all kinds of records.",
});

const host_id = "e1e74882-b978-405e-89f9-922e1a30e63b";

const example: SearchResult[] = [
  {
    entity: "Host",
    id: host_id,
    label: "nas",
    host_id,
    matched: ["name", "ports.number"],
    score: 0.75,
  },
  {
    entity: "Port",
    id: "15e32be1-8f8e-42d8-8a2c-e8e087509107",
    label: "445/Tcp",
    host_id,
    matched: ["host.name", "number"],
    score: 0.75,
  },
];

describeOperation(search, {
  operationId: "search",
  tag,
  summary: "Search all records",
  description:
    "Finds live records of all kinds, the best first. Each word must match the record or its host, and at least one word must match the record itself. A host is also matched by its addresses, open ports and open services: `weewx 8080` finds the host that runs WeeWX with port 8080 open, its service and its port. `score` depends on how each word matches: a whole field, its start, the start of a word in it, or any part; labels count more than other fields, and these more than the host. A word finds at most 200 records of each kind: if it is more common, add another word.",
  parameters: {
    q: { description: "The words to search for.", example: "nas 445" },
    kinds: { description: "Only records of these kinds.", example: "Host" },
    network_id: {
      description: "Only records on this network.",
      example: "277af32d-eb94-4677-88b1-472a3ec07051",
    },
    limit: { description: "Maximum number of records.", example: 20 },
  },
  data: z.array(searchResultSchema).max(50),
  response: "The records, the best first.",
  example: { data: example },
});
