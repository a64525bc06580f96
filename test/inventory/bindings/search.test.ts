import { expect, test } from "vitest";
import { failed, invalidAt, listed, seen } from "../../helpers/answers.ts";
import { openApi } from "../../helpers/api.ts";
import { mintBinding, mintOrganization } from "../../helpers/organization.ts";

const api = openApi();

/** The live list, complete lists, and the versions at a future instant. */
const forms = ["", "&limit=0", "&limit=0&offset=0", "&at=2999-01-01T00:00:00Z", "&limit=1000"];

/** Creates an organization with two bindings on two networks, and a function that lists them. */
async function open() {
  const organization = await mintOrganization();
  const { id, keys, networks } = organization;
  const ip_address_id = networks[0].ip_address_ids[0];
  const one = await mintBinding(id, networks[0], { ip_address_id });
  const two = await mintBinding(id, networks[1]);
  const found = async (query: string) => {
    const { status, body } = await api.send("GET", `/api/v1/bindings?${query}`, {
      key: keys.viewer,
    });
    expect({ query, status }).toEqual({ query, status: 200 });
    return listed(body)
      .map((binding) => (binding.id === one ? "one" : "two"))
      .join();
  };
  return { organization, networks, one, two, found };
}

test.each(forms)("ids list the existing bindings without duplicates (%s)", async (form) => {
  const { one, two, networks, found } = await open();
  const unknown = crypto.randomUUID();
  expect(await found(`ids=${two}${form}`)).toBe("two");
  expect(await found(`ids=${one}&ids=${unknown}&ids=${two.toUpperCase()}${form}`)).toBe("one,two");
  expect(await found(`ids=${one}&ids=${one}${form}`)).toBe("one");
  expect(await found(`ids=${unknown}${form}`)).toBe("");
  expect(await found(`ids=${one}&service_id=${networks[1].service_id}${form}`)).toBe("");
});

test.each(forms)("q finds a binding only by its ids, and by each of them (%s)", async (form) => {
  const { one, networks, found } = await open();
  const [{ service_id, port_id, ip_address_ids, id: network_id }] = networks;
  for (const id of [one, service_id, port_id, ip_address_ids[0], one.toUpperCase(), ` ${one} `]) {
    expect(await found(`q=${encodeURIComponent(id)}${form}`), id).toBe("one");
  }
  for (const text of [crypto.randomUUID(), network_id, "443", one.slice(0, 8)]) {
    expect(await found(`q=${text}${form}`), text).toBe("");
  }
});

test("accepts up to 100 ids and one search text", async () => {
  const { organization } = await open();
  const ask = async (query: string) =>
    seen(await api.send("GET", `/api/v1/bindings?${query}`, { key: organization.keys.viewer }));
  const ids = (count: number) =>
    Array.from({ length: count }, () => `ids=${crypto.randomUUID()}`).join("&");
  expect(await ask(ids(100))).toMatchObject({ status: 200 });
  expect(await ask(ids(101))).toEqual(invalidAt("query.ids"));
  expect(await ask("q=a&q=b")).toEqual(invalidAt("query.q"));
  expect(await ask("unrelated=1")).toEqual(
    failed("validation_failed", {
      issue_count: 1,
      issues: [
        {
          path: "query.unrelated",
          code: "unrecognized_keys",
          message: expect.stringContaining("ids, q, service_id"),
        },
      ],
    }),
  );
});
