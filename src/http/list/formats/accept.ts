import type { Context } from "hono";
import type * as z from "zod";
import { ApiError } from "../../../errors/errors.ts";
import type { AppEnv } from "../../factory.ts";

/** A form in which lists are sent (API contract, section 13). */
export type ListForm = { type: "json" } | { type: "csv"; hasMark: boolean } | { type: "ndjson" };

/** The media types of the forms, the preferred one first. */
export const mediaTypes = {
  json: "application/json",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
} as const satisfies Record<ListForm["type"], string>;

/** The header Content-Type of each form. */
export const contentTypes = {
  json: mediaTypes.json,
  csv: "text/csv; charset=utf-8; header=present",
  ndjson: mediaTypes.ndjson,
} as const satisfies Record<ListForm["type"], string>;

/** A media range of the header Accept (RFC 9110, section 12.5.1). */
interface MediaRange {
  type: string;
  parameters: ReadonlyMap<string, string>;
  quality: number;
}

const mediaRange = /^([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)$/;
const qualityValue = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/** The well-formed media ranges; others are ignored. */
function rangesOf(accept: string): MediaRange[] {
  return accept.split(",").flatMap((range) => {
    const [type = "", ...rest] = range.split(";").map((part) => part.trim().toLowerCase());
    const parameters = new Map(
      rest.map((parameter): [string, string] => {
        const [name = "", value = ""] = parameter.split("=", 2);
        return [name.trim(), value.trim().replaceAll('"', "")];
      }),
    );
    const q = parameters.get("q") ?? "1";
    return mediaRange.test(type) && qualityValue.test(q)
      ? [{ type, parameters, quality: Number(q) }]
      : [];
  });
}

/** How closely a range names a media type: 2 by name, 0 with everything else; null where it does not. */
function closeness({ type, parameters }: MediaRange, mediaType: string): number | null {
  const [charset = "utf-8", header = "present"] = ["charset", "header"].map((name) =>
    parameters.get(name),
  );
  if (charset !== "utf-8" || (mediaType === mediaTypes.csv && header !== "present")) {
    return null;
  }
  const found = ["*/*", `${mediaType.split("/")[0]}/*`, mediaType].indexOf(type);
  return found === -1 ? null : found;
}

/** The most specific range that names a media type, and of several such the one of the highest quality. */
const closest = (ranges: readonly MediaRange[], mediaType: string) =>
  ranges
    .flatMap((range) => {
      const close = closeness(range, mediaType);
      return close === null ? [] : [{ ...range, close }];
    })
    .sort((one, other) => other.close - one.close || other.quality - one.quality)[0];

/**
 * The form that the header Accept prefers; JSON without the header. Of forms of the same quality the one that is named
 * more specifically comes first, then JSON.
 * @throws {ApiError} 406
 */
export function formOf(accept: string | undefined): ListForm {
  if (accept === undefined || accept.trim() === "") {
    return { type: "json" };
  }
  const ranges = rangesOf(accept);
  const [wanted] = (["json", "csv", "ndjson"] as const)
    .flatMap((form) => {
      const range = closest(ranges, mediaTypes[form]);
      return range && range.quality > 0 ? [{ form, range }] : [];
    })
    .sort(
      (one, other) =>
        other.range.quality - one.range.quality || other.range.close - one.range.close,
    );
  if (wanted === undefined) {
    throw new ApiError("request_not_acceptable", { media_types: Object.values(mediaTypes) });
  }
  if (wanted.form !== "csv") {
    return { type: wanted.form };
  }
  const { parameters } = wanted.range;
  return { type: "csv", hasMark: parameters.has("header") && parameters.has("charset") };
}

/**
 * The form of a list in a response. Sets `Vary: Accept`, as caches must keep the forms apart.
 * @throws {ApiError} 406
 */
export function chosenForm<Env extends AppEnv>(c: Context<Env>): ListForm {
  c.header("Vary", "Accept", { append: true });
  return formOf(c.req.header("Accept"));
}

/** A form, and the schema of the records that are sent in it. */
export interface Shown {
  form: ListForm;
  schema: z.ZodType;
}

/** What every list declares that has several forms. */
export const sentInForms = {
  errors: ["request_not_acceptable"],
  otherForms: [mediaTypes.csv, mediaTypes.ndjson],
  responses: { 200: ["Vary"] },
} as const;
