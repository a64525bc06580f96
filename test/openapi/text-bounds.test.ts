import { expect, test } from "vitest";
import document from "../../src/docs/assets/openapi.json" with { type: "json" };

/** The bound of texts that have none of their own. */
const longestBody = 1_048_576;

/** Where schemas below a piece of the document have only that bound, by their paths. */
function unbounded(piece: unknown, path: string): string[] {
  if (typeof piece !== "object" || piece === null) {
    return [];
  }
  return Object.entries(piece).flatMap(([key, value]) =>
    key === "maxLength" && value === longestBody ? [path] : unbounded(value, `${path}/${key}`),
  );
}

test("every text documents its bound", () => {
  expect(unbounded(document, "")).toEqual([]);
  const { hostname, description, management_url } =
    document.components.schemas.HostInput.properties;
  expect([hostname, description, management_url]).toMatchObject([
    { maxLength: 255 },
    { maxLength: 500 },
    { maxLength: 2048 },
  ]);
});
