import * as z from "zod";
import { contactErrors } from "../database/schema/index.ts";
import { annotations } from "../http/openapi/describe.ts";
import { countAnswer, instantAnswer, recordAnswer, uuidAnswer } from "../http/openapi/records.ts";
import { textOf } from "../http/schemas.ts";
import { versionStatuses } from "./version-status.ts";

const lastErrorSchema = z
  .object({
    code: z.enum(contactErrors),
    http_status: z.int().min(100).max(599).nullable(),
    occurred_at: instantAnswer(),
  })
  .register(annotations, {
    id: "DaemonError",
    description:
      "Why and when the daemon was last not reached. `http_status` is set where the daemon answered with a status that HTTP has (100 to 599). `token_unreadable`: the service could not open its token, and did not contact the daemon; that does not count as a failure.",
  });

const versionStatusSchema = z
  .object({
    version: textOf(1, 64).nullable(),
    status: z.enum(versionStatuses),
    warnings: z.array(textOf(1, 500)).max(100),
  })
  .register(annotations, {
    id: "DaemonVersionStatus",
    description:
      "How the daemon's version stands to what the service speaks: `Outdated` before 0.12.0, `Unknown` where it told none that begins with three numbers.",
  });

/** A daemon as callers see it: everything but its token, its lease and how it is polled. */
export const daemonSchema = z
  .object({
    ...recordAnswer,
    organization_id: uuidAnswer(),
    network_id: uuidAnswer(),
    host_id: uuidAnswer().nullable().register(annotations, {
      description: "The host that the daemon lives on; null until that is known.",
    }),
    name: textOf(1, 255),
    url: textOf(1, 2048),
    mode: z.enum(["server_poll"]),
    version: textOf(1, 64).nullable(),
    version_status: versionStatusSchema,
    last_seen: instantAnswer().nullable(),
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
  host_id: null,
  name: "cellar",
  url: "https://cellar.example.com:60073",
  mode: "server_poll",
  version: "1.4.2",
  version_status: { version: "1.4.2", status: "Current", warnings: [] },
  last_seen: "2026-04-22T15:40:12.000Z",
  is_unreachable: true,
  unreachable_since: "2026-04-22T15:42:30.000Z",
  consecutive_failures: 5,
  next_poll_at: null,
  last_error: { code: "timed_out", http_status: null, occurred_at: "2026-04-22T15:42:30.000Z" },
};
