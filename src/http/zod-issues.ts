import type * as z from "zod";
import type { IssueList } from "./issues.ts";

/**
 * Adds what Zod found to a list.
 * @param part where it was found, such as `body`; the paths of the issues begin with it
 * @param unknown what is said of a name that is not expected there, if not what Zod says
 */
export function addIssues(
  found: IssueList,
  part: string,
  issues: readonly z.core.$ZodIssue[],
  unknown?: string,
): void {
  for (const issue of issues) {
    const { code, message } = issue;
    // A body can have tens of thousands of issues, of which the first are told.
    const path = found.isFull ? "" : pathText(part, issue.path);
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) {
        found.add({ path: `${path}.${key}`, message: unknown ?? message, code });
      }
    } else {
      found.add({ path, message, code });
    }
  }
}

const pathText = (part: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${String(step)}`),
    part,
  );
