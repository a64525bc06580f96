import type * as z from "zod";
import { takeDetails } from "../../../discovery/details.ts";
import type { Pace, Steps } from "../../../discovery/steps.ts";
import { IssueList } from "../../../http/validation/issues.ts";
import { addIssues } from "../../../http/validation/zod-issues.ts";

/** The lists of a host, except its interfaces. */
export const lists = ["ip_addresses", "ports", "services", "subnets"] as const;

const namesOfLists: ReadonlySet<PropertyKey | undefined> = new Set(lists);

/** Validates the parts of one host and collects their issues. */
export class HostValidator {
  readonly issues = new IssueList();
  /** True if a list of the host or a binding was invalid. */
  lost = false;
  readonly #pace: Pace;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Returns null if the value is invalid. */
  check<Value>(path: string, schema: z.ZodType<Value>, sent: unknown): Value | null {
    const { value, lost } = this.take(path, schema, sent);
    this.lost ||= path === "" && [...lost].some((name) => namesOfLists.has(name));
    return value;
  }

  /** Returns null if the value is invalid, and the names of its fields that were dropped. */
  take<Value>(
    path: string,
    schema: z.ZodType<Value>,
    sent: unknown,
  ): { value: Value | null; lost: ReadonlySet<PropertyKey | undefined> } {
    const { value, issues, lost } = takeDetails(schema, sent);
    if (issues.length > 0) {
      addIssues(this.issues, path, issues);
    }
    return { value, lost: new Set(lost.map(([name]) => name)) };
  }

  /** Returns the valid members of a list, each with its position in the list. */
  *each<Value>(
    name: string,
    schema: z.ZodType<Value>,
    sent: readonly unknown[],
    cost: number,
  ): Steps<{ member: Value; position: number }[]> {
    const valid: { member: Value; position: number }[] = [];
    for (const [position, one] of sent.entries()) {
      if (this.#pace.isOver(cost)) {
        yield;
      }
      const member = this.check(`${name}[${position}]`, schema, one);
      if (member !== null) {
        valid.push({ member, position });
      }
    }
    return valid;
  }
}
