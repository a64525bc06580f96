import * as z from "zod";
import { transportProtocols } from "../../database/tables/index.ts";
import { portType } from "../../discovery/well-known-ports.ts";
import { id } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { name, textOf } from "../../http/input/text.ts";
import { timestamp } from "../../http/input/timestamp.ts";

/** Maximum number of service definitions, subnets and ports in a summary. */
export const summaryBounds = { services: 20, subnets: 100, ports: 20 } as const;

/** The schema of a numerical summary of networks (API contract, section 13). */
export const summarySchema = z
  .object({
    at: timestamp.meta({ description: "The instant of the summary." }),
    network_id: id.nullable().meta({ description: "The network of the summary; null for all." }),
    counts: z
      .object({
        subnets: integer(),
        hosts: integer(),
        ip_addresses: integer(),
        ports: integer(),
        interfaces: integer(),
        neighbors: integer(),
        services: integer(),
        bindings: integer(),
      })
      .meta({ id: "SummaryCounts", description: "The number of records of each kind." }),
    hosts_seen: z
      .object({
        last_day: integer(),
        last_week: integer(),
        last_month: integer(),
        stale: integer(),
      })
      .nullable()
      .meta({
        id: "SummaryHostsSeen",
        description:
          "The numbers of hosts that were seen in the last 24 hours, 7 days and 30 days, and of stale hosts. Null with `at`, since only the last sighting of a host is stored.",
      }),
    services: z
      .array(
        z.object({ service_definition: textOf(1, 255), count: integer() }).meta({
          id: "SummaryService",
          description: "The number of open services with a definition.",
        }),
      )
      .max(summaryBounds.services)
      .meta({ description: "The most frequent definitions of open services." }),
    subnets: z
      .array(
        z
          .object({
            id,
            network_id: id,
            name,
            cidr: z.string().max(43),
            hosts: integer(),
            ip_addresses: integer(),
          })
          .meta({
            id: "SummarySubnet",
            description: "The numbers of hosts and addresses in a subnet.",
          }),
      )
      .max(summaryBounds.subnets)
      .meta({ description: "The subnets with the most addresses." }),
    open_ports: z
      .array(
        z
          .object({
            number: integer(1, 65_535),
            protocol: z.enum(transportProtocols),
            type: z.string().max(32),
            hosts: integer(),
          })
          .meta({ id: "SummaryPort", description: "The number of hosts on which a port is open." }),
      )
      .max(summaryBounds.ports)
      .meta({ description: "The ports that are open on the most hosts." }),
  })
  .meta({ id: "Summary", description: "Counts of what the networks contain." });
export type Summary = z.output<typeof summarySchema>;

export interface SummaryRow extends Record<string, unknown> {
  /** The instant of the statement, in RFC 3339 format. */
  now: string;
  counts: Summary["counts"];
  hosts_seen: Summary["hosts_seen"];
  services: Summary["services"];
  subnets: Summary["subnets"];
  open_ports: Omit<Summary["open_ports"][number], "type">[];
}

/** Maps a row to a summary in the response format. */
export const toSummary = (
  { now, open_ports, ...row }: SummaryRow,
  {
    at = now,
    network_id = null,
  }: { at?: string | undefined; network_id?: string | null | undefined },
): Summary => ({
  at,
  network_id,
  counts: row.counts,
  hosts_seen: row.hosts_seen,
  services: row.services,
  subnets: row.subnets,
  open_ports: open_ports.map(({ number, protocol, hosts }) => ({
    number,
    protocol,
    type: portType(number, protocol),
    hosts,
  })),
});
