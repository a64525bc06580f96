import * as z from "zod";
import { matches, outcomes, reportLimits } from "../discovery/report.ts";
import { issueSchema } from "../errors/errors.ts";
import { id } from "../http/input/id.ts";
import { integer } from "../http/input/integer.ts";

const count = integer(0, reportLimits.hosts);

/** The outcome for one host in an import. */
const importedHost = z
  .object({
    index: integer(0, reportLimits.hosts - 1).meta({
      description: "The position of the host in the report.",
    }),
    outcome: z.enum(outcomes),
    host_id: id.nullable().meta({
      description: "Null for a failed host, and in a dry run for a host that would be created.",
    }),
    matched_by: z.enum(matches).nullable().meta({
      description: "The property by which the host was matched; null if it was not matched.",
    }),
    issues: z.array(issueSchema).max(20).meta({
      description: "The reasons for the failure or for ignored details, at most 20.",
    }),
  })
  .meta({ id: "ImportedHost", description: "The outcome for one host in an import." });

/** The outcome of an import (API contract, section 10). */
export const importResult = z
  .object({
    discovery_id: id.nullable().meta({
      description: "The `last_discovery_id` of the observed records; null in a dry run.",
    }),
    dry_run: z.boolean(),
    counts: z
      .object({ created: count, changed: count, unchanged: count, failed: count })
      .meta({ id: "ImportCounts", description: "The number of hosts by outcome." }),
    hosts: z.array(importedHost).max(reportLimits.hosts),
  })
  .meta({ id: "ImportResult", description: "The outcome of an import, by host." });
export type ImportResult = z.output<typeof importResult>;
