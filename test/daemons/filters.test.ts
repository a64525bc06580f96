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

/** The names of the daemons that a query finds, with and without a limit, by whatever key. */
async function found(query: string, key = organization.keys.viewer): Promise<string[]> {
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
  ["nobody's network", () => `network_id=${crypto.randomUUID()}`, []],
  ["one id", () => `ids=${ids.attic}`, ["Attic_1"]],
  ["ids", () => `ids=${ids.attic}&ids=${ids.shed.toUpperCase()}`, ["Attic_1", "Shed"]],
  ["an id twice", () => `ids=${ids.attic}&ids=${ids.attic}`, ["Attic_1"]],
  ["another organization's id", () => `ids=${foreign}&ids=${ids.shed}`, ["Shed"]],
  ["those that are unreachable", () => "is_unreachable=true", ["Cellar 50%"]],
  ["those that are not", () => "is_unreachable=false", ["Attic_1", "Shed"]],
  ["a text in a name or a URL, in any case", () => "q=aTTic", ["Attic_1", "Shed"]],
  ["a text with a wildcard", () => "q=50%25", ["Cellar 50%"]],
  ["a wildcard that means itself", () => "q=c_1", ["Attic_1"]],
  ["a wildcard that nothing has", () => "q=%25%25", []],
  ["a text between spaces", () => "q=%20shed%20", ["Shed"]],
  ["a text that is an id", () => `q=${ids.cellar.toUpperCase()}`, ["Cellar 50%"]],
  ["a text that is another's id", () => `q=${foreign}`, []],
  ["several filters", () => `q=attic&network_id=${organization.networks[0].id}`, ["Attic_1"]],
])("the list finds %s", async (_, query, names) => {
  expect(await found(query())).toEqual(names);
});

test("a filter finds nothing outside the networks of a key", async () => {
  const key = await mintKey(organization.id, { role: "Viewer" }, [organization.networks[0].id]);
  expect(await found(`ids=${ids.attic}&ids=${ids.shed}`, key)).toEqual(["Attic_1"]);
  expect(await found(`network_id=${organization.networks[1].id}`, key)).toEqual([]);
  expect(await found("q=shed", key)).toEqual([]);
});

const many = (count: number) =>
  Array.from({ length: count }, () => `ids=${crypto.randomUUID()}`).join("&");

test("100 ids are taken", async () => {
  expect(await found(many(100))).toEqual([]);
});

test.each<[string, string, string]>([
  ["101 ids", many(101), "query.ids"],
  ["an id that is none", `ids=${crypto.randomUUID()}&ids=1`, "query.ids[1]"],
  ["an empty id", "ids=", "query.ids[0]"],
  ["a network that is none", "network_id=1", "query.network_id"],
  ["two networks", "network_id=1&network_id=2", "query.network_id"],
  ["another truth", "is_unreachable=yes", "query.is_unreachable"],
  ["an empty truth", "is_unreachable=", "query.is_unreachable"],
  ["an empty text", "q=", "query.q"],
  ["a blank text", "q=%20", "query.q"],
  ["a text of 101 characters", `q=${"x".repeat(101)}`, "query.q"],
  ["two texts", "q=a&q=b", "query.q"],
  ["a text with NUL", "q=%00", "query.q"],
  ["a parameter that it does not know", "is_unreachabel=true", "query.is_unreachabel"],
])("the list refuses %s", async (_, query, path) => {
  const answer = await openApi().send("GET", `/api/v1/daemons?${query}`, {
    key: organization.keys.viewer,
  });
  expect(seen(answer)).toEqual(invalidAt(path));
});
