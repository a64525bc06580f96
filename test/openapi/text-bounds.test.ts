import { expect, test } from "vitest";
import document from "../../src/docs/assets/openapi.json" with { type: "json" };

/** The bound of texts that have none of their own: no text is longer than the longest body. */
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

test("every text of a request documents its bound; only the spellings of a MAC address have none", () => {
  const { schemas } = document.components;
  const bodies = Object.entries(schemas).filter(([name]) =>
    /(Input|Provision|Rename|OrganizationName)$/.test(name),
  );
  const parameters = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.values<{ parameters?: unknown[] }>(operations).flatMap((operation) =>
      (operation.parameters ?? []).flatMap((parameter) => unbounded(parameter, path)),
    ),
  );
  const found = [...bodies.flatMap(([name, schema]) => unbounded(schema, name)), ...parameters];
  expect(found.sort()).toEqual([
    "/api/v1/hosts/schema",
    "/api/v1/ip-addresses/schema",
    "HostIPAddressInput/properties/mac_address/anyOf/0",
    "IPAddressInput/properties/mac_address/anyOf/0",
  ]);
  const { hostname, description, management_url } = schemas.HostInput.properties;
  expect([hostname, description, management_url].map(({ anyOf }) => anyOf[0])).toMatchObject([
    { maxLength: 255 },
    { maxLength: 500 },
    { maxLength: 2048 },
  ]);
});
