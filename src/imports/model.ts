import * as z from "zod";
import { matches, outcomes, reportLimits } from "../discovery/report.ts";
import { issueSchema } from "../errors/errors.ts";
import { id } from "../http/input/id.ts";
import { integer } from "../http/input/integer.ts";

const count = integer(0, reportLimits.hosts);

/** What became of one host of an import. */
const importedHost = z
  .object({
    index: integer(0, reportLimits.hosts - 1).meta({ description: "Its place in the report." }),
    outcome: z.enum(outcomes),
    host_id: id.nullable().meta({
      description: "Null of one that failed, and in a dry run of one that would be created.",
    }),
    matched_by: z
      .enum(matches)
      .nullable()
      .meta({ description: "By what the host was found; null of one that was not." }),
    issues: z.array(issueSchema).max(20).meta({
      description: "Why it failed, or what of it was not taken over: the first 20.",
    }),
  })
  .meta({ id: "ImportedHost", description: "What became of one host of an import." });

/** What became of an import (API contract, section 10). */
export const importResult = z
  .object({
    discovery_id: id.nullable().meta({
      description: "What the records that it saw carry as `last_discovery_id`; null of a dry run.",
    }),
    dry_run: z.boolean(),
    counts: z
      .object({ created: count, changed: count, unchanged: count, failed: count })
      .meta({ id: "ImportCounts", description: "How many hosts had which outcome." }),
    hosts: z.array(importedHost).max(reportLimits.hosts),
  })
  .meta({ id: "ImportResult", description: "What became of an import, host by host." });
export type ImportResult = z.output<typeof importResult>;
