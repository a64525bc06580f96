import { ApiError } from "../../errors/errors.ts";

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

/** The media ranges that are well-formed; others say nothing. */
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

/** The range that says most of a media type, and of several such the one that wants it most. */
const closest = (ranges: readonly MediaRange[], mediaType: string) =>
  ranges
    .flatMap((range) => {
      const close = closeness(range, mediaType);
      return close === null ? [] : [{ ...range, close }];
    })
    .sort((one, other) => other.close - one.close || other.quality - one.quality)[0];

/**
 * The form that a request wants most, by its header Accept: JSON where there is none. Of forms that are wanted
 * alike the one that is named more closely comes first, then JSON.
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
