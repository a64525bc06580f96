import * as z from "zod";
import { id, ownId } from "../http/input/id.ts";
import { ownDataInput } from "../http/input/own-data.ts";
import { ignored, meaningless, tenantRecordInput } from "../http/input/record.ts";
import { idSet } from "../http/input/set.ts";
import { name, textOf } from "../http/input/text.ts";
import { scanSchedule } from "./schedule.ts";

const isHttp = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** The URL of a daemon, normalized according to the URL standard. */
export const url = textOf(1, 2048)
  .pipe(z.string().refine(isHttp, { error: "must be an http or https URL" }))
  .transform((text) => new URL(text))
  .refine(({ username, password, search, hash }) => !(username || password || search || hash), {
    error: "must not contain a user, a password, a query or a fragment",
  })
  .transform(({ href }) => href)
  .pipe(z.string().max(2048))
  .meta({
    description: "The URL that the daemon listens on: `https://` in production.",
    input: { format: "uri", maxLength: 2048 },
  });

/** The body of a provisioning request. */
export const provisionInput = z
  .strictObject({
    id: ownId,
    name,
    network_id: id,
    url,
    mode: z.literal("server_poll").optional(),
    ...ownDataInput,
    tags: idSet.default([]),
    scan_schedule: scanSchedule.nullable().default(null),
  })
  .meta({ id: "DaemonProvision", description: "A daemon for the service to poll." });
export type ProvisionInput = z.output<typeof provisionInput>;

/** The body of PUT and PATCH. */
export const daemonInput = z
  .strictObject({
    ...tenantRecordInput,
    host_id: ignored,
    mode: ignored,
    version: ignored,
    version_status: ignored,
    last_seen: ignored,
    is_unreachable: ignored,
    unreachable_since: ignored,
    consecutive_failures: ignored,
    next_poll_at: ignored,
    last_error: ignored,
    capabilities: ignored,
    user_id: ignored,
    os: meaningless,
    receives_credentials: z.boolean().optional().meta({
      description:
        "True if its scans receive credentials. If omitted, it does not change. Only an Admin can set it to true.",
    }),
    name,
    network_id: id,
    url,
    ...ownDataInput,
    tags: idSet.default([]),
    scan_schedule: scanSchedule.nullable().default(null),
  })
  .meta({ id: "DaemonInput", description: "A daemon. Unknown fields are errors." });
export type DaemonInput = z.output<typeof daemonInput>;
