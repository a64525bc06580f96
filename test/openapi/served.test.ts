import { expect, test } from "vitest";
import committed from "../../src/docs/assets/openapi.json" with { type: "json" };
import { openApi } from "../helpers/api.ts";

test("the document that is served is the one that is generated from the code", async () => {
  const response = await openApi().send("GET", "/openapi.json");
  expect(response.body).toEqual(committed);
});
