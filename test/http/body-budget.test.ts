import { beforeAll, describe, expect, test } from "vitest";
import { mintApiKey } from "../../src/api-key.ts";
import { failed, seen, unauthorized } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { updateOf } from "../helpers/credentials.ts";
import { fakeLimiter } from "../helpers/limiter.ts";
import { pathOf, sampled } from "../helpers/operations.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";

const headers = { "Content-Type": "application/json" };

const many = (count: number, member: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => member(index)).join(",");

const tooMany = {
  path: "body",
  message: "must have at most 10000 array members and object fields in total",
  code: "too_big",
};
const tooDeep = {
  path: "body",
  message: "must nest arrays and objects at most 32 levels deep",
  code: "too_big",
};

/** Bodies that once cost a second of CPU time, or resulted in a 500. */
const hostile = [
  {
    what: "125,000 invalid ids in nested sets",
    body: `{"host_assignments":[${many(1000, () => `{"ip_address_ids":[${many(125, () => "0")}]}`)}]}`,
    issue: tooMany,
  },
  {
    what: "100,000 unknown fields",
    body: `{${many(100_000, (index) => `"${index.toString(36)}":0`)}}`,
    issue: tooMany,
  },
  { what: "10,001 members", body: `{"tags":[${many(10_000, () => "0")}]}`, issue: tooMany },
  {
    what: "9,000 nested arrays as the id",
    body: `{"id":${"[".repeat(9000)}${"]".repeat(9000)}}`,
    issue: tooDeep,
  },
  { what: "33 nested arrays", body: `${"[".repeat(33)}${"]".repeat(33)}`, issue: tooDeep },
];

/** Bodies within all limits, which the schema therefore has to handle. */
const odd = [
  { what: "an id that is an object", body: '{"id":{"toString":1,"valueOf":1}}' },
  {
    what: "an id that consists of nested arrays",
    body: `{"id":${"[".repeat(31)}${"]".repeat(31)}}`,
  },
  { what: "9,999 invalid members of a set", body: `{"tags":[${many(9999, () => "0")}]}` },
  {
    what: "9,999 unknown fields",
    body: `{${many(9999, (index) => `"${"\u0001".repeat(10)}${index}":0`).replaceAll("\u0001", "\\u0001")}}`,
  },
  { what: "a long unknown field", body: `{"${"\u{1f986}".repeat(200_000)}":0}` },
];

describe(sampled.write.name, () => {
  let organization: PopulatedOrganization;

  beforeAll(async () => {
    organization = await mintPopulatedOrganization();
  });

  const send = async (
    body: string,
    { key, api = openApi() }: { key?: string; api?: ReturnType<typeof openApi> },
  ) => {
    const { method } = sampled.write;
    const answer = await api.send(method, pathOf(sampled.write, organization), {
      key: key ?? organization.keys.owner,
      headers,
      body,
    });
    return { answer, api };
  };

  test.each(hostile)("rejects $what with one issue that names the limit", async (row) => {
    const { answer } = await send(row.body, {});
    expect(seen(answer)).toEqual(
      failed("validation_failed", { issues: [row.issue], issue_count: 1 }),
    );
  });

  test.each([...hostile, ...odd])(
    "rejects a request with $what because of its unknown key",
    async (row) => {
      const addresses = fakeLimiter(1000);
      const limits = {
        RATE_LIMITS: "on",
        KEY_RATE_LIMIT: fakeLimiter(1000),
        ADDRESS_RATE_LIMIT: addresses,
      };
      const { answer, api } = await send(row.body, { key: mintApiKey(), api: openApi(limits) });
      expect(seen(answer)).toEqual(unauthorized("auth_not_authenticated"));
      expect(addresses.counted).toHaveLength(1);
      expect(await api.calls()).toBe(1);
    },
  );

  test.each(odd)("the response to $what is smaller than 64 KiB", async ({ body }) => {
    const { answer } = await send(body, {});
    expect(seen(answer)).toEqual(
      failed("validation_failed", { issues: expect.any(Array), issue_count: expect.any(Number) }),
    );
    expect(new TextEncoder().encode(answer.text).length).toBeLessThan(65_536);
  });
});

test.each([99, 100, 101, 9985])(
  "out of %i issues, returns the first 100 and the total number",
  async (count) => {
    const { id, keys } = await mintOrganization();
    const unknown = Array.from({ length: count }, (_, index) => [`x${index}`, 0] as const);
    const answer = await openApi().send("PUT", `/api/v1/credentials/${await mintCredential(id)}`, {
      key: keys.owner,
      json: updateOf(id, Object.fromEntries(unknown)),
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { params: { issue_count: count, issues: expect.any(Array) } },
    });
    expect(answer).toHaveProperty("body.params.issues.length", Math.min(count, 100));
    expect(answer).toHaveProperty("body.params.issues.0", {
      path: "body.x0",
      message: expect.stringMatching(/^is not a field of this request, which accepts id, name, /),
      code: "unrecognized_keys",
    });
  },
);
