import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { at, type Imports, openImports } from "./helpers.ts";

const host = async ({ list }: Imports) => {
  const [only] = await list("hosts");
  return { name: only?.name, hostname: only?.hostname, valid_from: only?.valid_from };
};

const named = async (imports: Imports) => (await host(imports)).name;

test("names a host after its hostname, else after the name in the import, else after its address", async () => {
  const imports = await openImports();
  const { take } = imports;
  await take([at("10.0.0.1")]);
  expect(await named(imports)).toBe("10.0.0.1");
  await take([at("10.0.0.1", { name: "Printer" })]);
  expect(await named(imports)).toBe("Printer");
  await take([at("10.0.0.1", { name: "Printer", hostname: "printer.example.com" })]);
  expect(await named(imports)).toBe("printer.example.com");
});

test.each([
  ["its address", { name: "10.0.0.1" }],
  ["another address", { name: "10.9.9.9" }],
  ["an IPv6 address", { name: "fe80::1" }],
  ["no name", {}],
  ["the name in the import", { name: "Printer" }],
  ["a hostname that is an address", { hostname: "10.0.0.1" }],
])("%s never replaces a hostname as the name", async (_, weaker) => {
  const imports = await openImports();
  const { take } = imports;
  await take([at("10.0.0.1", { hostname: "printer.example.com" })]);
  const before = await named(imports);
  await take([at("10.0.0.1", weaker)]);
  expect(await named(imports)).toBe(before);
});

test("a host ends up with the strongest name, regardless of the order of reports", async () => {
  const reports = [{}, { name: "Printer" }, { hostname: "printer.example.com" }];
  for (const [one, two, three] of [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ] as const) {
    const imports = await openImports();
    for (const index of [one, two, three]) {
      await imports.take([at("10.0.0.1", reports[index])]);
    }
    expect(await named(imports)).toBe("printer.example.com");
  }
});

test("a later name of the same rank replaces the earlier one", async () => {
  const imports = await openImports();
  const { take } = imports;
  await take([at("10.0.0.1", { name: "A" })]);
  await take([at("10.0.0.1", { name: "B" })]);
  expect(await named(imports)).toBe("B");
  await take([at("10.0.0.1", { name: "A" })]);
  expect(await named(imports)).toBe("A");
  await take([at("10.0.0.1", { hostname: "one.example.com" })]);
  await take([at("10.0.0.1", { hostname: "two.example.com" })]);
  expect(await host(imports)).toMatchObject({
    name: "two.example.com",
    hostname: "two.example.com",
  });
});

test("keeps a name that a person chose, even if discovery finds a hostname", async () => {
  const imports = await openImports();
  const { take, list, replace } = imports;
  await take([at("10.0.0.1", { name: "Printer" })]);
  const [stored] = await list("hosts");
  await replace("hosts", stored?.id ?? "", { name: "Mine" });
  await take([at("10.0.0.1", { name: "Other", hostname: "printer.example.com" })]);
  expect(await host(imports)).toMatchObject({ name: "Mine", hostname: "printer.example.com" });
});

test("stronger evidence alone does not start a version or change the entity tag", async () => {
  const imports = await openImports();
  const { take, list, send } = imports;
  await take([at("10.0.0.1", { name: "printer" })]);
  const [stored] = await list("hosts");
  const { hostname: _, ...before } = await host(imports);
  await take([at("10.0.0.1", { name: "printer", hostname: "printer" })]);
  const after = await host(imports);
  expect(after).toMatchObject({ name: "printer", hostname: "printer" });
  expect(after.valid_from).not.toBe(before.valid_from);
  const etag = (await send("GET", `hosts/${stored?.id}`)).headers.get("etag");
  await take([at("10.0.0.1", { name: "weaker", hostname: "printer" })]);
  expect(await host(imports)).toEqual(after);
  expect((await send("GET", `hosts/${stored?.id}`)).headers.get("etag")).toBe(etag);
});

test("truncates a name of more than a hundred characters", async () => {
  const imports = await openImports();
  const hostname = `${"a".repeat(60)}.${"b".repeat(60)}.example.com`;
  await imports.take([at("10.0.0.1", { hostname })]);
  expect(await host(imports)).toMatchObject({ name: hostname.slice(0, 100), hostname });
  const before = await host(imports);
  await imports.take([at("10.0.0.1", { hostname, name: "weaker" })]);
  expect(await host(imports)).toEqual(before);
});

test("an older report can set a stronger name, but not a weaker one", async () => {
  const imports = await openImports();
  const { take } = imports;
  const hourAgo = { observed_at: new Date(Date.now() - 3_600_000).toISOString() };
  await take([at("10.0.0.1")]);
  await take([at("10.0.0.1", { name: "Printer" })], hourAgo);
  expect(await named(imports)).toBe("Printer");
  await take([at("10.0.0.1", { name: "Older" })], hourAgo);
  expect(await named(imports)).toBe("Printer");
});

test.each([
  { name: "Printer: 2nd floor" },
  { name: "web:8080" },
  { name: "42" },
  { hostname: "1984" },
  { hostname: "10.0.0.1.example" },
  { hostname: "beef:1" },
])("%o is a name, although it resembles an address", async (details) => {
  const imports = await openImports();
  await imports.take([at("10.0.0.1", details)]);
  expect(await named(imports)).toBe(Object.values(details)[0]);
});

test.each(["192.0.2.7", "::", "::1", "fe80::1", "2001:DB8:0:0:0:0:0:1", "::ffff:192.0.2.7"])(
  "%s is not used as the name of a host",
  async (hostname) => {
    const imports = await openImports();
    await imports.take([at("10.0.0.1", { name: hostname, hostname })]);
    expect(await host(imports)).toMatchObject({ name: "10.0.0.1", hostname });
  },
);

test("a hostname without evidence, as before an upgrade, is as strong as any other", async () => {
  const imports = await openImports();
  const { take, organization } = imports;
  const forget = () =>
    sql`update hosts set evidence = null where organization_id = ${organization.id} and valid_to is null`;
  await take([at("10.0.0.1", { name: "rack-7", hostname: "core-1" })]);
  await forget();
  await take([at("10.0.0.1", { name: "rack-7" })]);
  expect(await named(imports)).toBe("core-1");
  await take([at("10.0.0.1", { hostname: "core-2" })]);
  expect(await named(imports)).toBe("core-2");
  await take([at("10.0.0.2", { hostname: "10.0.0.2" })]);
  await forget();
  await take([at("10.0.0.2", { name: "rack-8" })]);
  const names = (await imports.list("hosts")).map(({ name }) => name);
  expect(names.sort()).toEqual(["core-2", "rack-8"]);
});
