import { ApiError } from "../../errors/errors.ts";

/** A problem with the current tag, as a sentence for users. The parser adds the line number. */
export class Problem extends Error {}

/** Returns the error for a report with a problem at this position, in UTF-16 units. */
export const malformed = (text: string, position: number, problem: string) =>
  new ApiError("request_malformed_xml", { line: lineOf(text, position), problem });

function lineOf(text: string, position: number): number {
  let line = 1;
  let end = text.indexOf("\n");
  while (end !== -1 && end < position) {
    line++;
    end = text.indexOf("\n", end + 1);
  }
  return line;
}
