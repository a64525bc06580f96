import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { ports, services } from "../../../src/database/tables/index.ts";
import { failed, invalidAt, listed, seen } from "../../helpers/answers.ts";
import { openApi } from "../../helpers/api.ts";
import { database } from "../../helpers/database.ts";
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

test.each(forms)("q finds a binding by each of its ids (%s)", async (form) => {
  const { one, networks, found } = await open();
  const [{ service_id, port_id, ip_address_ids, id: network_id }] = networks;
  for (const id of [one, service_id, port_id, ip_address_ids[0], one.toUpperCase(), ` ${one} `]) {
    expect(await found(`q=${encodeURIComponent(id)}${form}`), id).toBe("one");
  }
  for (const text of [crypto.randomUUID(), network_id, one.slice(0, 8)]) {
    expect(await found(`q=${text}${form}`), text).toBe("");
  }
});

test.each(forms)("q finds bindings by service and by port (%s)", async (form) => {
  const { networks, found } = await open();
  const [{ service_id, port_id }] = networks;
  await database
    .update(services)
    .set({ name: "Nginx 100%", version: "1.25.3" })
    .where(eq(services.id, service_id));
  await database.update(ports).set({ number: 8443 }).where(eq(ports.id, port_id));
  const other = networks[1].service_id;
  await database
    .update(services)
    .set({ service_definition: "HAProxy" })
    .where(eq(services.id, other));
  for (const text of ["nginx", "GINX", "100%", "1.25", "8443", "8443/Tcp", "8443/tcp"]) {
    expect(await found(`q=${encodeURIComponent(text)}${form}`), text).toBe("one");
  }
  expect(await found(`q=haprox${form}`)).toBe("two");
  expect(await found(`q=nginx&service_id=${service_id}${form}`)).toBe("one");
  expect(await found(`q=nginx&service_id=${other}${form}`)).toBe("");
  for (const text of ["844", "8443/Udp", "8443/", "8443/Sctp", "nginx 8443", "host"]) {
    expect(await found(`q=${encodeURIComponent(text)}${form}`), text).toBe("");
  }
});

test("q finds bindings by the service that they had at the instant", async () => {
  const { organization, networks, one, found } = await open();
  const [network] = networks;
  await mintBinding(organization.id, network, {
    valid_from: "2026-01-01T00:00:00Z",
    valid_to: "2026-02-01T00:00:00Z",
    lineage_id: one,
  });
  const past = "at=2026-01-15T00:00:00Z";
  const renamed = eq(services.id, network.service_id);
  await database.update(services).set({ name: "Caddy" }).where(renamed);
  expect(await found("q=caddy")).toBe("one");
  expect(await found(`q=caddy&${past}`)).toBe("");
  expect(await found(`q=test&ids=${one}&${past}`)).not.toBe("");
});

test("accepts up to 350 ids and one search text", async () => {
  const { organization } = await open();
  const ask = async (query: string) =>
    seen(await api.send("GET", `/api/v1/bindings?${query}`, { key: organization.keys.viewer }));
  const ids = (count: number) =>
    Array.from({ length: count }, () => `ids=${crypto.randomUUID()}`).join("&");
  expect(await ask(ids(350))).toMatchObject({ status: 200 });
  expect(await ask(ids(351))).toEqual(invalidAt("query.ids"));
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
