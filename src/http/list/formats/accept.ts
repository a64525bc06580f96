import type { Context } from "hono";
import type * as z from "zod";
import { ApiError } from "../../../errors/errors.ts";
import type { AppEnv } from "../../factory.ts";

/** A response format of lists (API contract, section 13). */
export type ListForm = { type: "json" } | { type: "csv"; hasMark: boolean } | { type: "ndjson" };

/** The media types of the formats, starting with the default. */
export const mediaTypes = {
  json: "application/json",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
} as const satisfies Record<ListForm["type"], string>;

/** The `Content-Type` of each format. */
export const contentTypes = {
  json: mediaTypes.json,
  csv: "text/csv; charset=utf-8; header=present",
  ndjson: mediaTypes.ndjson,
} as const satisfies Record<ListForm["type"], string>;

/** A media range of the `Accept` header (RFC 9110, section 12.5.1). */
interface MediaRange {
  type: string;
  parameters: ReadonlyMap<string, string>;
  quality: number;
}

const mediaRange = /^([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)$/;
const qualityValue = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/** Parses the media ranges, and ignores malformed ones. */
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

/**
 * The specificity of a range for a media type: 0 (any type) to 2 (exact); null if they do not
 * match.
 */
function closeness({ type, parameters }: MediaRange, mediaType: string): number | null {
  const [charset = "utf-8", header = "present"] = ["charset", "header"].map((name) =>
    parameters.get(name),
  );
  if (charset !== "utf-8" || (mediaType === mediaTypes.csv && header !== "present")) {
    return null;
  }
  const level = ["*/*", `${mediaType.split("/")[0]}/*`, mediaType].indexOf(type);
  return level === -1 ? null : level;
}

/**
 * Returns the most specific range for a media type, and among equally specific ranges the preferred
 * one.
 */
const closest = (ranges: readonly MediaRange[], mediaType: string) =>
  ranges
    .flatMap((range) => {
      const close = closeness(range, mediaType);
      return close === null ? [] : [{ ...range, close }];
    })
    .sort((one, other) => other.close - one.close || other.quality - one.quality)[0];

/**
 * Returns the format that the `Accept` header prefers; JSON without the header. If several formats
 * have the same quality, the most specific match wins, then JSON.
 * @throws {ApiError} 406
 */
export function formOf(accept: string | undefined): ListForm {
  if (accept === undefined || accept.trim() === "") {
    return { type: "json" };
  }
  const ranges = rangesOf(accept);
  const [preferred] = (["json", "csv", "ndjson"] as const)
    .flatMap((form) => {
      const range = closest(ranges, mediaTypes[form]);
      return range && range.quality > 0 ? [{ form, range }] : [];
    })
    .sort(
      (one, other) =>
        other.range.quality - one.range.quality || other.range.close - one.range.close,
    );
  if (preferred === undefined) {
    throw new ApiError("request_not_acceptable", { media_types: Object.values(mediaTypes) });
  }
  if (preferred.form !== "csv") {
    return { type: preferred.form };
  }
  const { parameters } = preferred.range;
  return { type: "csv", hasMark: parameters.has("header") && parameters.has("charset") };
}

/**
 * Returns the format of the response. Sets `Vary: Accept`, so that caches do not mix up the
 * formats.
 * @throws {ApiError} 406
 */
export function chosenForm<Env extends AppEnv>(c: Context<Env>): ListForm {
  c.header("Vary", "Accept", { append: true });
  return formOf(c.req.header("Accept"));
}

/** A format, and the schema of the records to write in it. */
export interface Output {
  form: ListForm;
  schema: z.ZodType;
}

/** The declarations for every list that has several formats. */
export const sentInForms = {
  errors: ["request_not_acceptable"],
  otherForms: [mediaTypes.csv, mediaTypes.ndjson],
  responses: { 200: ["Vary"] },
} as const;
