import type { Context } from "hono";
import { type Labels, okPage, type Pagination } from "../envelope.ts";
import type { AppEnv } from "../factory.ts";
import { chosenFields, withFields } from "./fields.ts";
import { contentTypes, type Output } from "./formats/accept.ts";
import { csvLines, endOfLine, startOfCsv } from "./formats/csv.ts";
import { endLine, jsonLines } from "./formats/json.ts";

/**
 * Responds with 200 and a page of a list.
 * @param page.etags the entity tags of the records, if they can be changed
 * @param page.labels the labels that the caller requested, which only JSON contains
 */
export function respondPage<Env extends AppEnv, Item>(
  c: Context<Env>,
  { form, schema, fields }: Output,
  page: {
    data: Item[];
    pagination: Pagination;
    at: string | null;
    etags?: string[] | undefined;
    labels?: Labels | undefined;
  },
) {
  const { data, pagination, at, etags, labels } = page;
  if (form.type === "json") {
    return okPage(c, chosenFields(data, fields), { pagination, etags, labels });
  }
  const table = { schema, fields };
  const text =
    form.type === "csv"
      ? startOfCsv(form.hasMark, table) + csvLines(table).records(data, true) + endOfLine
      : withFields(jsonLines, fields).records(data, true) +
        endLine({ count: data.length, at, next_cursor: pagination.next_cursor });
  const response = c.body(text, 200, { "Content-Type": contentTypes[form.type] });
  // Clients that use these types always request JSON.
  return response as unknown as ReturnType<typeof okPage<Env, Item>>;
}

/**
 * {@link respondPage} for a list with offsets only, whose records are computed and not stored.
 * @param page.total_count the number of records in the whole list
 */
export const respondComputedPage = <Env extends AppEnv, Item>(
  c: Context<Env>,
  output: Output,
  {
    data,
    at = null,
    labels,
    ...position
  }: {
    data: Item[];
    total_count: number;
    limit: number;
    offset: number;
    at?: string | null | undefined;
    labels?: Labels | undefined;
  },
) =>
  respondPage(c, output, {
    data,
    pagination: {
      ...position,
      has_more: position.offset + data.length < position.total_count,
      next_cursor: null,
    },
    at,
    labels,
  });
