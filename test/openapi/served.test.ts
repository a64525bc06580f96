import { expect, test } from "vitest";
import committed from "../../src/docs/assets/openapi.json" with { type: "json" };
import { openApi } from "../helpers/api.ts";

/** The maximum size of the served document, in bytes. */
const maximum = 1_018_000;

test("the served document is the committed one without indentation", async () => {
  const { body, text } = await openApi().send("GET", "/openapi.json");
  expect(body).toEqual(committed);
  expect(text).toBe(JSON.stringify(committed));
  expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(maximum);
});
