import * as z from "zod";
import { changeEntities, changeKinds } from "../../database/tables/index.ts";
import { eachOnce } from "../../http/input/each-once.ts";
import { integer } from "../../http/input/integer.ts";
import { ignored, tenantRecordInput } from "../../http/input/record.ts";
import { idSet } from "../../http/input/set.ts";
import { name, textOf } from "../../http/input/text.ts";
import { instant } from "../../http/input/timestamp.ts";
import { cursorText } from "../../http/list/cursor.ts";
import { changedKind, changeType } from "./model.ts";

const isHttp = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** The receiver's URL, normalized according to the URL standard. */
const url = textOf(1, 2048)
  .pipe(z.string().refine(isHttp, { error: "must be an https URL" }))
  .transform((text) => new URL(text))
  .refine(({ username, password, search, hash }) => !(username || password || search || hash), {
    error: "must not contain a user, a password, a query or a fragment",
  })
  .transform(({ href }) => href)
  .pipe(z.string().max(2048))
  .meta({
    description: "The receiver's public `https://` URL.",
    input: { format: "uri", maxLength: 2048 },
  });

/** Values from a closed list, sorted in the order of that list. */
const someOf = <const Value extends string>(
  member: z.ZodType<Value, Value>,
  values: readonly Value[],
) =>
  z
    .array(member)
    .max(values.length, { error: `must have at most ${values.length} members` })
    .check(
      eachOnce<Value>({
        of: (value) => value,
        field: undefined,
        message: "is already in the set: send every member once",
      }),
    )
    .meta({ uniqueItems: true })
    .default([])
    .transform((sent) => values.filter((value) => sent.includes(value)));

/** The request body for a webhook (API contract, section 12). */
export const webhookInput = z
  .strictObject({
    ...tenantRecordInput,
    disabled_reason: ignored,
    secret_hint: ignored,
    last_success_at: ignored,
    last_failure_at: ignored,
    last_error: ignored,
    name,
    url,
    entities: someOf(changedKind, changeEntities),
    changes: someOf(changeType, changeKinds),
    network_ids: idSet
      .nullable()
      .default(null)
      .transform((ids) => ids && [...ids].sort())
      .meta({ description: "The networks to which it is limited; null for every network." }),
    is_enabled: z.boolean().default(true),
  })
  .meta({ id: "WebhookInput", description: "A webhook. Unknown fields are errors." });
export type WebhookInput = z.output<typeof webhookInput>;

/** A week, in seconds. */
const maximumOverlap = 604_800;

/** Options for rotating a webhook's secret. */
export const webhookRotationInput = z
  .strictObject({
    overlap_seconds: integer(0, maximumOverlap).default(0).meta({
      description:
        "The number of seconds for which deliveries are also signed with the old secret.",
    }),
  })
  .meta({ id: "WebhookRotation", description: "Options for rotating a webhook's secret." });

/** The start of a replay. */
export const replayInput = z
  .strictObject({
    since: instant.optional().meta({ description: "Replays all changes after this instant." }),
    cursor: cursorText.optional().meta({
      description:
        "Replays all changes after this cursor, from `GET /api/v1/changes` or from a delivery.",
    }),
  })
  .refine(({ since, cursor }) => (since === undefined) !== (cursor === undefined), {
    error: "must have either since or cursor",
  })
  .meta({ id: "Replay", description: "The start of a replay: exactly one of the two fields." });
