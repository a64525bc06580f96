import type { Context } from "hono";
import { okPage, type Pagination } from "../envelope.ts";
import type { AppEnv } from "../factory.ts";
import { contentTypes, type Output } from "./formats/accept.ts";
import { csvLines, endOfLine, startOfCsv } from "./formats/csv.ts";
import { endLine, jsonLines } from "./formats/json.ts";

/**
 * Responds with 200 and a page of a list.
 * @param page.etags the entity tags of the records, if they can be changed
 */
export function respondPage<Env extends AppEnv, Item>(
  c: Context<Env>,
  { form, schema }: Output,
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
  // Clients that use these types always request JSON.
  return response as unknown as ReturnType<typeof okPage<Env, Item>>;
}
