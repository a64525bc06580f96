import type * as z from "zod";
import { nearest } from "../not-found/nearest.ts";
import { knownNames } from "./issue-message.ts";
import type { IssueList } from "./issues.ts";

/** What callers are told who send to an operation what another one takes. */
export interface Elsewhere {
  /** By the names of parameters of the query, what to do instead. */
  query?: Readonly<Record<string, string>>;
  /** Where the body is of another type: what takes such a body, or what this one holds. */
  body?: string;
}

/**
 * Adds what Zod found to a list.
 * @param part where it was found, such as `body`; the paths of the issues begin with it
 */
export function addIssues(
  found: IssueList,
  part: string,
  issues: readonly z.core.$ZodIssue[],
  elsewhere: Elsewhere = {},
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
        const told = found.isFull
          ? message
          : ((part === "query" ? elsewhere.query?.[key] : undefined) ?? unknown(noun, key, names));
        found.add({ path: `${path}.${key}`, message: told, code });
      }
    } else if (code === "invalid_type" && path === "body" && elsewhere.body !== undefined) {
      found.add({ path, message: `${message}; ${elsewhere.body}`, code });
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

/** The most characters of names in a message, with and without a count of others: `error` shows the first 200 of each. */
const maximumListed = 130;
const maximumAll = 150;

/** Names as a message can hold them: whole ones, and how many there are beyond those. */
function listedNames(names: readonly string[]): string {
  const everyName = names.join(", ");
  if (everyName.length <= maximumAll) {
    return everyName || "none";
  }
  let told = 0;
  for (let length = 0; told < names.length; told++) {
    length += (names[told] ?? "").length + 2;
    if (length > maximumListed) {
      break;
    }
  }
  return `${names.slice(0, told).join(", ")} and ${names.length - told} more, see /docs`;
}

/** The message for a name that is not expected: what may have been meant, and what else there is. */
const unknown = (noun: string, name: string, known: readonly string[]): string => {
  const other = otherNames[name] ?? "";
  const meant = known.includes(other) ? other : nearest(name, known);
  return meant === undefined
    ? `is not a ${noun} of this request, which takes ${listedNames(known)}`
    : `is not a ${noun} of this request: did you mean ${meant}`;
};

const pathText = (part: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${String(step)}`),
    part,
  );
