import { expect, test } from "vitest";
import document from "../../src/docs/assets/openapi.json" with { type: "json" };

/** The default maximum length of strings. */
const longestBody = 1_048_576;

/** Returns the paths of all nested schemas that have only the default limit. */
function unbounded(piece: unknown, path: string): string[] {
  if (typeof piece !== "object" || piece === null) {
    return [];
  }
  return Object.entries(piece).flatMap(([key, value]) =>
    key === "maxLength" && value === longestBody ? [path] : unbounded(value, `${path}/${key}`),
  );
}

test("every string has its own documented limit", () => {
  expect(unbounded(document, "")).toEqual([]);
  const { HostInput, OptionalTextInput } = document.components.schemas;
  const { hostname, description, management_url } = HostInput.properties;
  expect(hostname).toEqual({ $ref: "#/components/schemas/OptionalTextInput" });
  expect([OptionalTextInput, description, management_url]).toMatchObject([
    { maxLength: 255 },
    { maxLength: 500 },
    { maxLength: 2048 },
  ]);
});
