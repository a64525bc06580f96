import { inject } from "vitest";

/** The first `count` cases in `npm test`, and all cases in `npm run test:long`. */
export const limitCases = <Case>(cases: readonly Case[], count: number): readonly Case[] =>
  inject("isLong") ? cases : cases.slice(0, count);

/** Every third case, or all cases with `RELEASE=true`: for long lists of cases that take the same path. */
export const everyThird = <Case>(cases: readonly Case[]): readonly Case[] =>
  inject("isRelease") ? cases : cases.filter((_, index) => index % 3 === 0);
