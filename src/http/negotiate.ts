import { ApiError } from "../errors/errors.ts";

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

/** A media type, and the parameters of the range that selected it. */
interface Negotiated<Type> {
  mediaType: Type;
  parameters: MediaRange["parameters"];
}

/** Returns false if a response with this media type cannot have the range's parameters. */
type Suits = (mediaType: string, parameters: MediaRange["parameters"]) => boolean;

/**
 * The specificity of a range for a media type: 0 (any type) to 2 (exact); null if they do not
 * match.
 */
function closeness({ type, parameters }: MediaRange, mediaType: string, suits: Suits) {
  if ((parameters.get("charset") ?? "utf-8") !== "utf-8" || !suits(mediaType, parameters)) {
    return null;
  }
  const level = ["*/*", `${mediaType.split("/")[0]}/*`, mediaType].indexOf(type);
  return level === -1 ? null : level;
}

/**
 * Returns the most specific range for a media type, and among equally specific ranges the preferred
 * one.
 */
const closest = (ranges: readonly MediaRange[], mediaType: string, suits: Suits) =>
  ranges
    .flatMap((range) => {
      const close = closeness(range, mediaType, suits);
      return close === null ? [] : [{ ...range, close }];
    })
    .sort((one, other) => other.close - one.close || other.quality - one.quality)[0];

/**
 * Returns the media type that the `Accept` header prefers; the first one without the header. If
 * several types have the same quality, the most specific match wins, then the first type.
 * @param suits by default, accepts all parameters except a different charset
 * @throws {ApiError} 406
 */
export function negotiate<const Type extends string>(
  accept: string | undefined,
  mediaTypes: readonly [Type, ...Type[]],
  suits: Suits = () => true,
): Negotiated<Type> {
  if (accept === undefined || accept.trim() === "") {
    return { mediaType: mediaTypes[0], parameters: new Map() };
  }
  const ranges = rangesOf(accept);
  const [preferred] = mediaTypes
    .flatMap((mediaType) => {
      const range = closest(ranges, mediaType, suits);
      return range && range.quality > 0 ? [{ mediaType, range }] : [];
    })
    .sort(
      (one, other) =>
        other.range.quality - one.range.quality || other.range.close - one.range.close,
    );
  if (preferred === undefined) {
    throw new ApiError("request_not_acceptable", { media_types: [...mediaTypes] });
  }
  return { mediaType: preferred.mediaType, parameters: preferred.range.parameters };
}
