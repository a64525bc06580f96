import type * as z from "zod";
import { knownNames } from "./issue-message.ts";
import type { IssueList } from "./issues.ts";
import { nearest } from "./nearest.ts";

/**
 * Adds what Zod found to a list.
 * @param part where it was found, such as `body`; the paths of the issues begin with it
 */
export function addIssues(
  found: IssueList,
  part: string,
  issues: readonly z.core.$ZodIssue[],
): void {
  for (const issue of issues) {
    const { code, message } = issue;
    // A body can have tens of thousands of issues, of which the first are told.
    const path = found.isFull ? "" : pathText(part, issue.path);
    if (issue.code === "unrecognized_keys") {
      const noun = part === "query" ? "parameter" : "field";
      const names = knownNames(issue.keys);
      for (const key of issue.keys) {
        // Each comparison takes time, and what is only counted shows no message.
        const told = found.isFull ? message : unknown(noun, key, names);
        found.add({ path: `${path}.${key}`, message: told, code });
      }
    } else {
      found.add({ path, message, code });
    }
  }
}

/** What other interfaces call what this one has under another name. */
const otherNames: Readonly<Record<string, string>> = {
  sort: "order_by",
  sort_by: "order_by",
  order: "order_direction",
  page: "offset",
  page_size: "limit",
  per_page: "limit",
  search: "q",
  query: "q",
  tag: "tag_ids",
  role: "permissions",
};

/** The message for a name that is not expected: what may have been meant, and what else there is. */
const unknown = (noun: string, name: string, known: readonly string[]): string => {
  const other = otherNames[name] ?? "";
  const meant = known.includes(other) ? other : nearest(name, known);
  return meant === undefined
    ? `is not a ${noun} of this request, which takes ${known.join(", ") || "none"}`
    : `is not a ${noun} of this request: did you mean ${meant}`;
};

const pathText = (part: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${String(step)}`),
    part,
  );
