import type * as z from "zod";
import { nearest } from "../not-found/nearest.ts";
import { knownNames } from "./issue-message.ts";
import type { IssueList } from "./issues.ts";

/** Hints for callers who send data that belongs to another operation. */
export interface Elsewhere {
  /** Messages by query parameter name. */
  query?: Readonly<Record<string, string>>;
  /**
   * The message for a body of another type: the operation that accepts it, or the expected content.
   */
  body?: string;
}

/**
 * Adds Zod's issues to a list.
 * @param part the first segment of the issues' paths, such as `body`
 */
export function addIssues(
  list: IssueList,
  part: string,
  issues: readonly z.core.$ZodIssue[],
  elsewhere: Elsewhere = {},
): void {
  for (const issue of issues) {
    const { code, message } = issue;
    // A body can have tens of thousands of issues. Only the first issues need a path.
    const path = list.isFull ? "" : pathText(part, issue.path);
    if (issue.code === "unrecognized_keys") {
      const noun = part === "query" ? "parameter" : "field";
      const names = knownNames(issue.keys);
      for (const key of issue.keys) {
        // Comparing names is slow, and issues that are only counted do not need a message.
        const text = list.isFull
          ? message
          : ((part === "query" ? own(elsewhere.query, key) : undefined) ??
            unknown(noun, key, names));
        list.add({ path: `${path}.${key}`, message: text, code });
      }
    } else if (code === "invalid_type" && path === "body" && elsewhere.body !== undefined) {
      list.add({ path, message: `${message}; ${elsewhere.body}`, code });
    } else {
      list.add({ path, message, code });
    }
  }
}

/** Returns a text by a name that callers send, which can also be `constructor` or `__proto__`. */
const own = (texts: Readonly<Record<string, string>> = {}, name: string): string | undefined =>
  Object.hasOwn(texts, name) ? texts[name] : undefined;

/** Names that are common in other APIs, and their equivalents here. */
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

/**
 * Maximum number of characters that names can take up in a message: `maximumListed` if a count of
 * the remaining names follows, `maximumAll` otherwise. `error` contains the first 200 characters of
 * a message.
 */
const maximumListed = 130;
const maximumAll = 150;

/** Lists as many names as fit in a message, followed by the number of remaining names. */
function listedNames(names: readonly string[]): string {
  const everyName = names.join(", ");
  if (everyName.length <= maximumAll) {
    return everyName || "none";
  }
  let listedCount = 0;
  for (let length = 0; listedCount < names.length; listedCount++) {
    length += (names[listedCount] ?? "").length + 2;
    if (length > maximumListed) {
      break;
    }
  }
  return `${names.slice(0, listedCount).join(", ")} and ${names.length - listedCount} more, see /docs`;
}

/** The message for an unknown name, with a suggestion or the known names. */
const unknown = (noun: string, name: string, known: readonly string[]): string => {
  const other = own(otherNames, name) ?? "";
  const meant = known.includes(other) ? other : nearest(name, known);
  return meant === undefined
    ? `is not a ${noun} of this request, which accepts ${listedNames(known)}`
    : `is not a ${noun} of this request: did you mean ${meant}`;
};

const pathText = (part: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${String(step)}`),
    part,
  );
