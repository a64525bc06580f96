import * as z from "zod";
import type { Issue } from "../../errors/errors.ts";
import {
  type HostResult,
  type IngestResult,
  matches,
  outcomes,
  type Report,
  type ReportedHost,
  reportLimits,
} from "../report.ts";
import type { UnitedHost } from "../unite.ts";

/** The result of `app.ingest`. */
const ingested = z.object({
  hosts: z.array(
    z.tuple([z.int(), z.enum(outcomes), z.guid().nullable(), z.enum(matches).nullable()]),
  ),
  issues: z.array(
    z.object({
      index: z.int(),
      kind: z.enum([
        "same_address",
        "same_id",
        "taken_address",
        "taken_external_id",
        "other_host",
        "binding_conflict",
        "unknown_interface",
        "too_many",
      ]),
      /**
       * The position of the address, binding or interface; for `too_many`, the number of omitted
       * records.
       */
      position: z.int().nullable(),
      /**
       * The index of another host in the report, the id of a stored record (null if the key cannot
       * access it), or the omitted kind.
       */
      other: z.string().nullable(),
    }),
  ),
  subnets: z.array(z.object({ sent: z.array(z.int()), id: z.guid().nullable() })),
});
type IngestIssue = z.output<typeof ingested>["issues"][number];

/**
 * Maximum number of live children of each kind per host, including bindings: `app.maximum_of_host`.
 */
export const maximumOfHost = 5_000;

/** Maximum number of issues per host in the response. */
const maximumIssues = 20;

const message = ({ kind, position, other }: IngestIssue): string => {
  switch (kind) {
    case "same_address":
      return `is also an address of hosts[${other}]: send each host once`;
    case "same_id":
      return `is also the id of hosts[${other}]: send each host once`;
    case "taken_address":
      return `is an address of the host ${other}: consolidate the two hosts if they are the same`;
    case "taken_external_id":
      return `is ignored, since it is the external id of ${other === null ? "a host that your key cannot access" : `the host ${other}`}`;
    case "other_host":
      return `does not match the host ${other}, the only one that may change`;
    case "binding_conflict":
      return `conflicts with the binding ${other}, which is kept: change or delete that binding`;
    case "unknown_interface":
      return "is not the name of exactly one of the host's interfaces: import the host's interfaces with their names first";
    case "too_many":
      return other === "neighbors of one interface"
        ? `would exceed the maximum of ${reportLimits.neighborsPerInterface} ${other} (omitted: ${position}): remove some first`
        : `would exceed the maximum of ${maximumOfHost.toLocaleString("en")} ${other?.replace("ip_", "")} of one host (omitted: ${position}): remove some first`;
  }
};

/**
 * Combines the outcomes of all hosts: those from the database, and those of hosts that had already
 * failed.
 */
export function resultOf(
  report: Report,
  hosts: readonly { host: ReportedHost; united: UnitedHost }[],
  result: unknown,
): IngestResult {
  const parsed = ingested.parse(result);
  const issuesOf = new Map<number, Issue[]>(
    hosts.map(({ host, united }) => [host.index, [...(host.issues ?? []), ...united.issues]]),
  );
  const pathOf = new Map(
    hosts.map(({ host, united }) => {
      const bindings = united.services.flatMap((service) => service.bindings);
      return [
        host.index,
        ({ kind, position }: IngestIssue) =>
          kind === "too_many"
            ? `hosts[${host.index}]`
            : kind === "unknown_interface"
              ? `hosts[${host.index}].interfaces[${position}].name`
              : kind === "taken_external_id"
                ? `hosts[${host.index}].external_id`
                : position === null
                  ? `hosts[${host.index}].id`
                  : ((kind === "binding_conflict" ? bindings : host.addresses)[position]?.path ??
                    ""),
      ];
    }),
  );
  for (const issue of parsed.issues) {
    issuesOf.get(issue.index)?.push({
      path: pathOf.get(issue.index)?.(issue) ?? "",
      message: message(issue),
      code: issue.kind,
    });
  }
  const results: HostResult[] = [
    ...parsed.hosts.map(([index, outcome, host_id, matched_by]) => ({
      index,
      outcome,
      host_id,
      matched_by,
      issues: (issuesOf.get(index) ?? []).slice(0, maximumIssues),
    })),
    ...report.failed.map(({ index, issues }) => ({
      index,
      outcome: "failed" as const,
      host_id: null,
      matched_by: null,
      issues: issues.slice(0, maximumIssues),
    })),
  ].sort((one, other) => one.index - other.index);
  const counts = { created: 0, changed: 0, unchanged: 0, failed: 0 };
  for (const { outcome } of results) {
    counts[outcome]++;
  }
  const storedSubnets = new Map(
    parsed.subnets.flatMap(({ sent, id }) => sent.map((position) => [position, id])),
  );
  return {
    counts,
    hosts: results,
    subnets: report.subnets.map(({ cidr }, position) => ({
      cidr,
      subnet_id: storedSubnets.get(position) ?? null,
    })),
  };
}
