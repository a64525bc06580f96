import { ApiError, type Issue, maxIssues } from "../../errors/errors.ts";

/**
 * Maximum length of a path and of a message, in UTF-16 units. A unit takes at most three bytes in a
 * response, so 100 issues stay below 64 KiB (API contract, section 6).
 */
const maxPathUnits = 100;
const maxMessageUnits = 256;

/** The first issues in a request, and the total number of issues. */
export class IssueList {
  readonly first: Issue[] = [];
  count = 0;

  static of(issue: Issue): IssueList {
    const list = new IssueList();
    list.add(issue);
    return list;
  }

  /** True if further issues are only counted. */
  get isFull(): boolean {
    return this.first.length >= maxIssues;
  }

  /** Adds an issue. Its path may contain names chosen by the caller. */
  add({ path, message, code }: Issue): void {
    this.count++;
    if (!this.isFull) {
      this.first.push({
        path: cut(printable(path), maxPathUnits),
        message: cut(message, maxMessageUnits),
        code,
      });
    }
  }
}

/** The error for these issues. */
export const validationFailed = ({ first, count }: IssueList) =>
  new ApiError("validation_failed", { issues: first, issue_count: count });

/** Replaces characters that would take six bytes in JSON because they are escaped. */
const printable = (text: string) => text.replace(/\p{Cc}/gu, "\ufffd").toWellFormed();

const cut = (text: string, units: number) =>
  text.length > units ? `${text.slice(0, units - 1).toWellFormed()}…` : text;
