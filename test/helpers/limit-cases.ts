import { inject } from "vitest";

/** The first `count` cases in `npm test`, and all cases in `npm run test:long`. */
export const limitCases = <Case>(cases: readonly Case[], count: number): readonly Case[] =>
  inject("isLong") ? cases : cases.slice(0, count);
