import type * as z from "zod";
import { issueMessage } from "../../src/http/validation/issue-message.ts";

/** An issue with a value. */
export interface FoundIssue {
  /**
   * In the format of responses, relative to the part of the request: `tags[0]`,
   * `credential_type.type`.
   */
  path: string;
  message: string;
  code: string;
}

const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "");

/**
 * The issues that a schema finds in a value, with a separate issue for each unknown field; empty if
 * it is valid.
 */
export function issuesOf(schema: z.ZodType, value: unknown): FoundIssue[] {
  const issues = schema.safeParse(value, { error: issueMessage }).error?.issues ?? [];
  return issues.flatMap((issue) => {
    const { path, message, code } = issue;
    return issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ path: pathText([...path, key]), message, code }))
      : [{ path: pathText(path), message, code }];
  });
}

/** The paths of the issues that a schema finds in a value. */
export const pathsOf = (schema: z.ZodType, value: unknown): string[] =>
  issuesOf(schema, value).map(({ path }) => path);
