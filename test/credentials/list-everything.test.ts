import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { credentialsIn } from "../helpers/credentials.ts";
import { manyCredentials, mintManyCredentials, readPages } from "../helpers/many-credentials.ts";
import { mintOrganization } from "../helpers/organization.ts";

const everything = (offset: number) => ({
  total_count: manyCredentials,
  limit: 0,
  offset,
  has_more: false,
});

test("everything is the same as all pages, in every order", async () => {
  const organization = await mintOrganization();
  await mintManyCredentials(organization);
  const key = organization.keys.viewer;
  for (const query of ["", "group_by=type&order_by=name&order_direction=desc"]) {
    const api = openApi();
    const paged = await readPages(api, key, query);
    expect(new Set(paged.map(({ id }) => id)).size).toBe(manyCredentials);
    const calls = await api.calls();
    const answer = await api.send("GET", `/api/v1/credentials?${query}&limit=0`, { key });
    expect(credentialsIn(answer)).toEqual(paged);
    expect(answer).toHaveProperty("body.meta.pagination", everything(0));
    expect((await api.calls()) - calls).toBe(3);
  }
});

test("everything from an offset on is the rest of all pages, in as few calls", async () => {
  const organization = await mintOrganization();
  await mintManyCredentials(organization);
  const key = organization.keys.viewer;
  const paged = await readPages(openApi(), key, "order_by=name");
  for (const [offset, calls] of [
    [1, 3],
    [500, 2],
    [1500, 1],
    [2499, 1],
    [2500, 1],
  ] as const) {
    const api = openApi();
    const path = `/api/v1/credentials?order_by=name&limit=0&offset=${offset}`;
    const answer = await api.send("GET", path, { key });
    expect(credentialsIn(answer)).toEqual(paged.slice(offset));
    expect(answer).toHaveProperty("body.meta.pagination", everything(offset));
    expect(await api.calls()).toBe(calls);
  }
});

test("everything has no largest number", async () => {
  const api = openApi();
  const organization = await mintOrganization();
  const number = 4000;
  await mintManyCredentials(organization, number);
  const answer = await api.send("GET", "/api/v1/credentials?limit=0", {
    key: organization.keys.viewer,
  });
  expect(new Set(credentialsIn(answer).map(({ id }) => id)).size).toBe(number);
  expect(answer).toMatchObject({ body: { meta: { pagination: { total_count: number } } } });
  expect(await api.calls()).toBe(4);
});

test("everything of a type counts and shows that type only", async () => {
  const api = openApi();
  const organization = await mintOrganization();
  await mintManyCredentials(organization);
  const answer = await api.send("GET", "/api/v1/credentials?type=DockerSocket&limit=0", {
    key: organization.keys.viewer,
  });
  const shown = credentialsIn(answer).map(({ credential_type }) => credential_type.type);
  expect(shown).toEqual(Array(833).fill("DockerSocket"));
  expect(answer).toMatchObject({ body: { meta: { pagination: { total_count: 833 } } } });
  expect(await api.calls()).toBe(1);
});
