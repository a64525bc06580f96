import type { Context } from "hono";
import type { AppEnv } from "../../factory.ts";
import { negotiate } from "../../negotiate.ts";
import type { Table } from "./csv.ts";

/** A response format of lists (API contract, section 13). */
export type ListForm = { type: "json" } | { type: "csv"; hasMark: boolean } | { type: "ndjson" };

/** The media types of the formats, starting with the default. */
export const mediaTypes = {
  json: "application/json",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
} as const satisfies Record<ListForm["type"], string>;

export const contentTypes = {
  json: mediaTypes.json,
  csv: "text/csv; charset=utf-8; header=present",
  ndjson: mediaTypes.ndjson,
} as const satisfies Record<ListForm["type"], string>;

/**
 * Returns the format that the `Accept` header prefers; JSON without the header. If several formats
 * have the same quality, the most specific match wins, then JSON.
 * @throws {ApiError} 406
 */
export function formOf(accept: string | undefined): ListForm {
  const { mediaType, parameters } = negotiate(
    accept,
    [mediaTypes.json, mediaTypes.csv, mediaTypes.ndjson],
    (type, range) => type !== mediaTypes.csv || (range.get("header") ?? "present") === "present",
  );
  switch (mediaType) {
    case mediaTypes.json:
      return { type: "json" };
    case mediaTypes.ndjson:
      return { type: "ndjson" };
    case mediaTypes.csv:
      return { type: "csv", hasMark: parameters.has("header") && parameters.has("charset") };
  }
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

/** A format, and the records to write in it. */
export interface Output extends Table {
  form: ListForm;
}

/** The declarations for every list that has several formats. */
export const sentInForms = {
  errors: ["request_not_acceptable"],
  otherForms: [mediaTypes.csv, mediaTypes.ndjson],
  responses: { 200: ["Vary"] },
} as const;
