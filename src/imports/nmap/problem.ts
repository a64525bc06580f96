import { ApiError } from "../../errors/errors.ts";

/** What is wrong with the tag that is being read, as a sentence for people. The reader adds the line. */
export class Problem extends Error {}

/** The error of a report that is wrong at this position of its text, in UTF-16 units. */
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
