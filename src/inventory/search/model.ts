import * as z from "zod";
import { id } from "../../http/input/id.ts";

/** The kinds of records that a search finds, in the order in which it ranks equal matches. */
export const searchedKinds = [
  "Host",
  "Service",
  "IPAddress",
  "Subnet",
  "Port",
  "Interface",
  "Neighbor",
  "Network",
  "Daemon",
  "Credential",
  "Tag",
] as const;

/** A record that a search found (API contract, section 9). */
export const searchResultSchema = z
  .object({
    entity: z.enum(searchedKinds),
    id,
    label: z.string().max(400).meta({
      description: "A readable name, such as a host's name or `443/Tcp`.",
    }),
    host_id: id.nullable().meta({
      description:
        "The host itself, or the host of the record; null for a record that is not on a host.",
    }),
    matched: z.array(z.string().max(64)).max(100).meta({
      description:
        "The field that each word matched best, each field once. A field of another record is a path: `services.name` of a host, or `host.name` of one of its parts.",
    }),
    score: z.number().min(0).max(1).meta({ description: "How well the words match; 1 is best." }),
  })
  .meta({ id: "SearchResult", description: "A record that a search found." });
export type SearchResult = z.output<typeof searchResultSchema>;
