import * as z from "zod";
import { changeEntities, changeKinds } from "../../database/tables/index.ts";
import { eachOnce } from "../../http/input/each-once.ts";
import { integer } from "../../http/input/integer.ts";
import { ignored, tenantRecordInput } from "../../http/input/record.ts";
import { idSet } from "../../http/input/set.ts";
import { name, textOf } from "../../http/input/text.ts";
import { timestamp } from "../../http/input/timestamp.ts";
import { cursorText } from "../../http/list/cursor.ts";
import { changedKind, changeType } from "./model.ts";

const isHttp = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Where a receiver listens, in the form that the URL standard gives it. */
const url = textOf(1, 2048)
  .pipe(z.string().refine(isHttp, { error: "must be an https URL" }))
  .transform((text) => new URL(text))
  .refine(({ username, password, search, hash }) => !(username || password || search || hash), {
    error: "must not hold a user, a password, a query or a fragment",
  })
  .transform(({ href }) => href)
  .pipe(z.string().max(2048))
  .meta({
    description: "Where the receiver listens: a public `https://` URL.",
    input: { format: "uri", maxLength: 2048 },
  });

/** Some of a closed list, in its order. */
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
        message: "is in the set already: send every member once",
      }),
    )
    .meta({ uniqueItems: true })
    .default([])
    .transform((sent) => values.filter((value) => sent.includes(value)));

/** A whole webhook, as callers send it (API contract, section 12). */
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
      .meta({ description: "The networks to limit it to; null: every network." }),
    is_enabled: z.boolean().default(true),
  })
  .meta({ id: "WebhookInput", description: "A webhook. Unknown fields are errors." });
export type WebhookInput = z.output<typeof webhookInput>;

/** A week, in seconds. */
const maximumOverlap = 604_800;

/** How the secret of a webhook is rotated. */
export const webhookRotationInput = z
  .strictObject({
    overlap_seconds: integer(0, maximumOverlap)
      .default(0)
      .meta({ description: "For how long deliveries are signed with the old secret as well." }),
  })
  .meta({ id: "WebhookRotation", description: "How the secret of a webhook is rotated." });

/** From where on a webhook is told everything once more. */
export const replayInput = z
  .strictObject({
    since: timestamp.optional().meta({ description: "Everything that changed after it." }),
    cursor: cursorText.optional().meta({
      description: "Everything behind a cursor of `GET /api/v1/changes`, or of a delivery.",
    }),
  })
  .refine(({ since, cursor }) => (since === undefined) !== (cursor === undefined), {
    error: "must have either since or cursor",
  })
  .meta({ id: "Replay", description: "From where on to tell everything: one of the two." });
