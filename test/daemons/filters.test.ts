import { beforeAll, expect, test } from "vitest";
import { invalidAt, listed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import {
  mintDaemon,
  mintKey,
  mintOrganization,
  type Organization,
  unreachable,
} from "../helpers/organization.ts";

let organization: Organization;
let ids: Record<"attic" | "cellar" | "shed", string>;
let foreign: string;

beforeAll(async () => {
  organization = await mintOrganization();
  const { id, networks } = organization;
  ids = {
    attic: await mintDaemon(id, networks[0].id, { name: "Attic_1", url: "https://a.example.com" }),
    cellar: await mintDaemon(id, networks[0].id, { ...unreachable, name: "Cellar 50%" }),
    shed: await mintDaemon(id, networks[1].id, { name: "Shed", url: "https://ATTIC.example.org" }),
  };
  const other = await mintOrganization();
  foreign = await mintDaemon(other.id, other.networks[0].id, { name: "Attic_1" });
});

/** Returns the names of the daemons that a query matches, with and without a limit. */
async function namesOf(query: string, key = organization.keys.viewer): Promise<string[]> {
  const lists = [];
  for (const limit of ["", "&limit=0"]) {
    const answer = await openApi().send("GET", `/api/v1/daemons?${query}${limit}`, { key });
    const data = listed(answer.body).map(({ name }) => String(name));
    expect(answer.body).toMatchObject({ meta: { pagination: { total_count: data.length } } });
    lists.push(data.sort());
  }
  expect(lists[0]).toEqual(lists[1]);
  return lists[0] ?? [];
}

test.each<[string, () => string, string[]]>([
  ["a network", () => `network_id=${organization.networks[1].id}`, ["Shed"]],
  [
    "a network in upper case",
    () => `network_id=${organization.networks[1].id.toUpperCase()}`,
    ["Shed"],
  ],
  ["an unknown network", () => `network_id=${crypto.randomUUID()}`, []],
  ["one id", () => `ids=${ids.attic}`, ["Attic_1"]],
  ["ids", () => `ids=${ids.attic}&ids=${ids.shed.toUpperCase()}`, ["Attic_1", "Shed"]],
  ["a repeated id", () => `ids=${ids.attic}&ids=${ids.attic}`, ["Attic_1"]],
  ["another organization's id", () => `ids=${foreign}&ids=${ids.shed}`, ["Shed"]],
  ["unreachable daemons", () => "is_unreachable=true", ["Cellar 50%"]],
  ["reachable daemons", () => "is_unreachable=false", ["Attic_1", "Shed"]],
  ["part of a name or a URL, in any case", () => "q=aTTic", ["Attic_1", "Shed"]],
  ["text with a wildcard", () => "q=50%25", ["Cellar 50%"]],
  ["a wildcard that is taken literally", () => "q=c_1", ["Attic_1"]],
  ["a literal wildcard that matches nothing", () => "q=%25%25", []],
  ["text surrounded by spaces", () => "q=%20shed%20", ["Shed"]],
  ["the id of a daemon", () => `q=${ids.cellar.toUpperCase()}`, ["Cellar 50%"]],
  ["the id of another organization's daemon", () => `q=${foreign}`, []],
  ["several filters", () => `q=attic&network_id=${organization.networks[0].id}`, ["Attic_1"]],
])("the list filters by %s", async (_, query, names) => {
  expect(await namesOf(query())).toEqual(names);
});

test("a filter matches nothing outside a key's networks", async () => {
  const key = await mintKey(organization.id, { role: "Viewer" }, [organization.networks[0].id]);
  expect(await namesOf(`ids=${ids.attic}&ids=${ids.shed}`, key)).toEqual(["Attic_1"]);
  expect(await namesOf(`network_id=${organization.networks[1].id}`, key)).toEqual([]);
  expect(await namesOf("q=shed", key)).toEqual([]);
});

const many = (count: number) =>
  Array.from({ length: count }, () => `ids=${crypto.randomUUID()}`).join("&");

test("accepts 350 ids", async () => {
  expect(await namesOf(many(350))).toEqual([]);
});

test.each<[string, string, string]>([
  ["351 ids", many(351), "query.ids"],
  ["an invalid id", `ids=${crypto.randomUUID()}&ids=1`, "query.ids[1]"],
  ["an empty id", "ids=", "query.ids[0]"],
  ["an invalid network", "network_id=1", "query.network_id"],
  ["two networks", "network_id=1&network_id=2", "query.network_id"],
  ["an invalid boolean", "is_unreachable=yes", "query.is_unreachable"],
  ["an empty boolean", "is_unreachable=", "query.is_unreachable"],
  ["an empty string", "q=", "query.q"],
  ["a blank string", "q=%20", "query.q"],
  ["a string of 101 characters", `q=${"x".repeat(101)}`, "query.q"],
  ["two texts", "q=a&q=b", "query.q"],
  ["a string with a NUL character", "q=%00", "query.q"],
  ["an unknown parameter", "is_unreachabel=true", "query.is_unreachabel"],
])("the list rejects %s", async (_, query, path) => {
  const answer = await openApi().send("GET", `/api/v1/daemons?${query}`, {
    key: organization.keys.viewer,
  });
  expect(seen(answer)).toEqual(invalidAt(path));
});
