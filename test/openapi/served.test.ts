import { expect, test } from "vitest";
import committed from "../../src/docs/assets/openapi.json" with { type: "json" };
import { openApi } from "../helpers/api.ts";

/** The largest document that is served, in bytes. */
const maximum = 700_000;

test("the document that is served is the committed one, without indentation", async () => {
  const { body, text } = await openApi().send("GET", "/openapi.json");
  expect(body).toEqual(committed);
  expect(text).toBe(JSON.stringify(committed));
  expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(maximum);
});
