import { expect, test } from "vitest";
import * as z from "zod";
import { traceOf } from "../../src/http/trace.ts";

const canary = "hunter2";

/** Errors that contain a canary, in the message or elsewhere. */
const errors: [what: string, error: Error][] = [
  ["a message", new Error(canary)],
  ["a message with several lines", new TypeError(`one\n${canary}\nthree`)],
  ["a message that looks like a frame", new Error(`x\n    at ${canary} (${canary}.js:1:1)`)],
  [
    "a message that consists only of frames",
    new Error(`\n    at ${canary} (a.js:1:1)\n    at b (b.js:1:1)`),
  ],
  [
    "a message that was changed later",
    Object.assign(new Error(`x\n    at ${canary} (a.js:1:1)`), { message: "y z" }),
  ],
  ["a name", Object.assign(new Error("x"), { name: `${canary} ${canary}` })],
  ["a cause", new Error("x", { cause: new Error(canary) })],
  ["an error from Zod", z.literal("x").safeParse(canary).error ?? new Error("none")],
  ["an error from JSON.parse", thrownBy(() => JSON.parse(canary))],
];

function thrownBy(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) {
      return error;
    }
  }
  throw new Error("nothing was thrown");
}

test.each(errors)("a trace does not contain anything from %s", (_, error) => {
  expect(JSON.stringify(traceOf(error))).not.toContain(canary);
});

test("a trace contains the error's name and at most ten stack frames", () => {
  const deep = (depth: number): Error => (depth === 0 ? new RangeError("x") : deep(depth - 1));
  const { name, frames } = traceOf(deep(50));
  expect(name).toBe("RangeError");
  expect(frames).toHaveLength(10);
  expect(frames[0]).toMatch(/^deep .*trace\.test\.ts:\d+:\d+/);
});

test("an error without a message keeps its frames", () => {
  expect(traceOf(new Error()).frames[0]).toMatch(/trace\.test\.ts/);
});

test("frames are at most 300 characters long", () => {
  const error = new Error("x");
  const frame = (length: number) => `    at ${"a".repeat(length)}`;
  error.stack = ["Error: x", frame(300), frame(301)].join("\n");
  expect(traceOf(error).frames).toEqual(["a".repeat(300)]);
});
