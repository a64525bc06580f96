import { ApiError, type Issue, maxIssues } from "../../errors/errors.ts";

/**
 * The longest path and message, in UTF-16 units. A unit is at most three bytes in a response, so
 * that 100 issues stay below 64 KiB (API contract, section 6).
 */
const maxPathUnits = 100;
const maxMessageUnits = 256;

/** What is wrong with a request: the first issues, and how many there are. */
export class IssueList {
  readonly first: Issue[] = [];
  count = 0;

  /** A list of one issue. */
  static of(issue: Issue): IssueList {
    const list = new IssueList();
    list.add(issue);
    return list;
  }

  /** Whether further issues are only counted. */
  get isFull(): boolean {
    return this.first.length >= maxIssues;
  }

  /** Adds an issue. Its path may hold names of a caller's making. */
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

/** The error of a request in which these issues were found. */
export const validationFailed = ({ first, count }: IssueList) =>
  new ApiError("validation_failed", { issues: first, issue_count: count });

/** Text without what JSON would write as an escape of six bytes. */
const printable = (text: string) => text.replace(/\p{Cc}/gu, "\ufffd").toWellFormed();

const cut = (text: string, units: number) =>
  text.length > units ? `${text.slice(0, units - 1).toWellFormed()}…` : text;
