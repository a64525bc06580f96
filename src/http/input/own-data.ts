import * as z from "zod";
import {
  maximumExternalId,
  maximumMetadataKeys,
  maximumMetadataText,
} from "../../database/tables/own-data.ts";
import { optionalText, textOf } from "./text.ts";

const keyPattern = /^[A-Za-z0-9_.-]{1,40}$/;
const noControls = (text: string | null) => text === null || !/\p{Cc}/u.test(text);
const controlsRefused = { error: "must not contain control characters" };

const text = textOf(0, maximumMetadataText);

/**
 * Texts by key. The schema is not a `z.record`, which would silently drop the key `__proto__`; here
 * all keys are data.
 */
export const metadataSchema = z
  .custom<Record<string, string>>()
  .check(({ value, issues }) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      issues.push({ code: "invalid_type", expected: "object", input: value });
      return;
    }
    const entries = Object.entries(value);
    if (entries.length > maximumMetadataKeys) {
      issues.push({
        ...{ code: "too_big", origin: "object", maximum: maximumMetadataKeys, input: value },
        message: `must have at most ${maximumMetadataKeys} keys`,
      });
      return;
    }
    for (const [key, member] of entries) {
      if (!keyPattern.test(key)) {
        issues.push({
          ...{ code: "custom", input: value, path: [key] },
          message: "is not a key: use 1 to 40 letters, digits, underscores, dots and hyphens",
        });
      }
      for (const issue of text.safeParse(member).error?.issues ?? []) {
        const isText = typeof member === "string";
        issues.push({
          ...{ code: "custom", input: member, path: [key] },
          message: isText ? issue.message : "must be a string",
        });
      }
    }
  })
  .meta({
    id: "Metadata",
    description: "Texts by key, for the caller's own use.",
    type: "object",
    propertyNames: { type: "string", maxLength: 40, pattern: keyPattern.source },
    additionalProperties: { type: "string", maxLength: maximumMetadataText },
    maxProperties: maximumMetadataKeys,
  });

const description = "Its id in another system";

/** The fields of a record for data that callers keep with it (API contract, section 7). */
export const ownDataFields = {
  external_id: textOf(1, maximumExternalId)
    .nullable()
    .meta({ description: `${description}.` }),
  metadata: metadataSchema,
};

/** {@link ownDataFields} in a body. Null and absence clear them. */
export const ownDataInput = {
  external_id: optionalText(maximumExternalId)
    .refine(noControls, controlsRefused)
    .meta({ description: `${description}: at most ${maximumExternalId} characters, or null.` }),
  metadata: metadataSchema
    .nullable()
    .default(null)
    .transform((value) => value ?? {}),
};

/** An external id in a path or a query. */
export const externalId = z
  .string({ error: "must be given only once" })
  .trim()
  .pipe(textOf(1, maximumExternalId).refine(noControls, controlsRefused))
  .meta({ minLength: 1, maxLength: maximumExternalId, pattern: "\\S" });
