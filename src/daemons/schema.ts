import * as z from "zod";
import { contactErrors } from "../database/schema/index.ts";
import { annotations } from "../http/openapi/describe.ts";
import { countAnswer, instantAnswer, recordAnswer, uuidAnswer } from "../http/openapi/records.ts";
import { textOf } from "../http/schemas.ts";

const lastErrorSchema = z
  .object({
    code: z.enum(contactErrors),
    http_status: z.int().min(100).max(999).nullable(),
    occurred_at: instantAnswer(),
  })
  .register(annotations, {
    id: "DaemonError",
    description:
      "Why and when the daemon was last not reached. `http_status` is set where the daemon answered.",
  });

/** A daemon as callers see it: everything but its token and its lease. */
export const daemonSchema = z
  .object({
    ...recordAnswer,
    organization_id: uuidAnswer(),
    network_id: uuidAnswer(),
    name: textOf(1, 255),
    url: textOf(1, 2048),
    version: textOf(1, 64).nullable(),
    last_seen_at: instantAnswer().nullable(),
    is_unreachable: z.boolean(),
    unreachable_since: instantAnswer().nullable(),
    consecutive_failures: countAnswer(),
    next_poll_at: instantAnswer().nullable().register(annotations, {
      description:
        "null for an unreachable daemon: it is left alone until its connection is retried.",
    }),
    last_error: lastErrorSchema.nullable(),
  })
  .register(annotations, {
    id: "Daemon",
    description: "A discovery agent on one of your networks, which the service polls.",
  });

export const daemonExample: z.output<typeof daemonSchema> = {
  id: "8649506c-8329-411f-89da-ebe9217ea046",
  created_at: "2026-02-03T10:00:00.000Z",
  updated_at: "2026-04-22T15:57:37.843Z",
  organization_id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  network_id: "a902d4d6-5310-41e1-8ca9-46709b4e7ebf",
  name: "cellar",
  url: "https://cellar.example.com:60073",
  version: "1.4.2",
  last_seen_at: "2026-04-22T15:40:12.000Z",
  is_unreachable: true,
  unreachable_since: "2026-04-22T15:42:30.000Z",
  consecutive_failures: 5,
  next_poll_at: null,
  last_error: { code: "timed_out", http_status: null, occurred_at: "2026-04-22T15:42:30.000Z" },
};
