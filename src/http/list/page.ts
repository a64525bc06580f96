import type { Context } from "hono";
import type * as z from "zod";
import { okPage, type Pagination } from "../envelope.ts";
import type { AppEnv } from "../factory.ts";
import { csvLines, endOfLine, headerLine } from "./csv.ts";
import { contentTypes, formOf, type ListForm, mediaTypes } from "./form.ts";
import { jsonLines } from "./json.ts";

/** A form, and the schema of the records that are sent in it. */
export interface Shown {
  form: ListForm;
  schema: z.ZodType;
}

/** What the last line of a list in JSON lines says: without that line, the list was cut. */
export interface End {
  count: number;
  /** The instant that was listed, of records with history. */
  at: string | null;
  /** Where the list goes on; null at its end. */
  next_cursor: string | null;
}

/** The last line of a list in JSON lines. */
export const endLine = (end: End): string => `${JSON.stringify({ end })}\n`;

/** The mark by which some programs know a text in UTF-8. */
const byteOrderMark = "\uFEFF";

/** What a table in CSV begins with. */
export const startOfCsv = (hasMark: boolean, schema: z.ZodType): string =>
  (hasMark ? byteOrderMark : "") + headerLine(schema);

/** What every list declares that has several forms. */
export const sentInForms = {
  errors: ["request_not_acceptable"],
  otherForms: [mediaTypes.csv, mediaTypes.ndjson],
  responses: { 200: ["Vary"] },
} as const;

/** What every list declares that can be walked. */
export const walked = {
  ...sentInForms,
  responses: { 200: ["Vary", "Link"] },
} as const;

/** {@link walked} of records with history: an instant may lie before what is kept. */
export const walkedHistory = {
  ...walked,
  errors: [...walked.errors, "history_expired", "cursor_expired"],
} as const;

/**
 * The form that a list is sent in, which its caches must tell apart.
 * @throws {ApiError} 406
 */
export function chosenForm<Env extends AppEnv>(c: Context<Env>): ListForm {
  c.header("Vary", "Accept", { append: true });
  return formOf(c.req.header("Accept"));
}

/**
 * Responds 200 with a page of a list.
 * @param page.etags of the records, where they can be changed
 */
export function respondPage<Env extends AppEnv, Item>(
  c: Context<Env>,
  { form, schema }: Shown,
  page: {
    data: Item[];
    pagination: Pagination;
    at: string | null;
    etags?: string[] | undefined;
  },
) {
  const { data, pagination, at, etags } = page;
  if (form.type === "json") {
    return okPage(c, data, pagination, etags);
  }
  const text =
    form.type === "csv"
      ? startOfCsv(form.hasMark, schema) + csvLines(schema).records(data, true) + endOfLine
      : jsonLines.records(data, true) +
        endLine({ count: data.length, at, next_cursor: pagination.next_cursor });
  const response = c.body(text, 200, { "Content-Type": contentTypes[form.type] });
  // Typed clients ask for JSON.
  return response as unknown as ReturnType<typeof okPage<Env, Item>>;
}
