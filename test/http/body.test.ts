import { beforeAll, describe, expect, test } from "vitest";
import { failed, invalidAt, seen, succeeded } from "../helpers/answers.ts";
import { openApi, type RequestOptions } from "../helpers/api.ts";
import { bodyOf, operations, pathOf, perform, sampled } from "../helpers/operations.ts";
import { mintOrganization } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { changingNothing } from "../helpers/rows.ts";

const json = { "Content-Type": "application/json" };
const tooLarge = failed("request_too_large", { max_bytes: 1_048_576 });
const notUtf8 = failed("request_malformed_json", { reason: "not_utf8" });
const brokenOff = failed("request_malformed_json", { reason: "broken_off" });
const unsupported = failed("request_unsupported_media_type", {
  media_types: ["application/json"],
});

/** A body of this size that is sent in pieces, without a length. */
const stream = (pieces: number, bytes: number) =>
  new ReadableStream({
    type: "bytes",
    pull(controller) {
      if (pieces-- > 0) {
        controller.enqueue(new Uint8Array(bytes).fill(0x20));
      } else {
        controller.close();
      }
    },
  });

/** A body that fails after its first piece. */
const broken = (reason: unknown) => {
  let isBegun = false;
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      if (isBegun) {
        controller.error(reason);
      } else {
        isBegun = true;
        controller.enqueue(new TextEncoder().encode('"Aft'));
      }
    },
  });
};

const bytes = (...values: number[]) => new Uint8Array(values);

const bad: { what: string; options: () => RequestOptions; expected: object }[] = [
  {
    what: "no body",
    options: () => ({}),
    expected: failed("request_malformed_json", { reason: "empty" }),
  },
  {
    what: "no content type",
    options: () => ({ body: new TextEncoder().encode('"After"') }),
    expected: unsupported,
  },
  ...[
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "text/json",
    "json",
  ].map((type) => ({
    what: `the content type ${type}`,
    options: () => ({ body: '"After"', headers: { "Content-Type": type } }),
    expected: unsupported,
  })),
  ...["", " "].map((body) => ({
    what: `the empty body "${body}"`,
    options: () => ({ body, headers: json }),
    expected: failed("request_malformed_json", { reason: "empty" }),
  })),
  ...["{'name': 1}", "After", '"a" "b"', "NaN", "undefined"].map((body) => ({
    what: `malformed JSON ${body}`,
    options: () => ({ body, headers: json }),
    expected: failed("request_malformed_json", { line: 1, column: expect.any(Number) }),
  })),
  ...(["broken_off {", 'broken_off "After', "trailing_comma [1,]"] as const).map((text) => {
    const [reason, body = ""] = text.split(" ");
    return {
      what: `malformed JSON ${body}`,
      options: () => ({ body, headers: json }),
      expected: failed("request_malformed_json", { reason, line: 1, column: expect.any(Number) }),
    };
  }),
  ...["gzip", "br", "identity, gzip", "x"].map((coding) => ({
    what: `the content coding ${coding}`,
    options: () => ({ body: '"After"', headers: { ...json, "Content-Encoding": coding } }),
    expected: unsupported,
  })),
  {
    what: "a body that is interrupted",
    options: () => ({ body: broken(new Error("The client has gone.")), headers: json }),
    expected: brokenOff,
  },
  {
    what: "a body that is interrupted without a reason",
    options: () => ({ body: broken(undefined), headers: json }),
    expected: brokenOff,
  },
  {
    what: "bytes that are not UTF-8",
    options: () => ({ body: bytes(0x22, 0x41, 0xff, 0x42, 0x22), headers: json }),
    expected: notUtf8,
  },
  {
    what: "a truncated UTF-8 sequence",
    options: () => ({ body: bytes(0x22, 0xe2, 0x82, 0x22), headers: json }),
    expected: notUtf8,
  },
  {
    what: "JSON in UTF-16",
    options: () => ({ body: bytes(0xff, 0xfe, 0x22, 0, 0x41, 0, 0x22, 0), headers: json }),
    expected: notUtf8,
  },
  {
    what: "one byte over 1 MiB, with a Content-Length",
    options: () => ({
      body: `"${"a".repeat(1_048_575)}"`,
      headers: { ...json, "Content-Length": "1048577" },
    }),
    expected: tooLarge,
  },
  {
    what: "2 MiB in chunks",
    options: () => ({ body: stream(32, 65_536), headers: json }),
    expected: tooLarge,
  },
  {
    what: "one byte over 1 MiB in chunks",
    options: () => ({ body: stream(1, 1_048_577), headers: json }),
    expected: tooLarge,
  },
];

const operation = sampled.write;

describe(operation.name, () => {
  let organization: PopulatedOrganization;

  beforeAll(async () => {
    organization = await mintPopulatedOrganization();
  });

  /** Sends a request as the owner, with or without a body. */
  async function send(options: RequestOptions) {
    const api = openApi();
    const key = organization.keys.owner;
    const answer = await api.send(operation.method, pathOf(operation, organization), {
      key,
      ...options,
    });
    return { answer: seen(answer), calls: await api.calls() };
  }

  const success = succeeded(expect.objectContaining({ name: "After" }));

  test.each(bad)("rejects $what", async ({ options, expected }) => {
    const response = await changingNothing(organization.id, () => send(options()));
    expect(response).toEqual({ answer: expected, calls: 1 });
  });

  test.each([
    { "Content-Type": "application/json" },
    { "Content-Type": "application/json; charset=utf-8" },
    { "Content-Type": "application/json;charset=UTF-8" },
    { "Content-Type": "Application/JSON" },
    { "Content-Type": "application/json ; charset=utf-8" },
    { "Content-Encoding": "identity" },
    { "Content-Encoding": "Identity" },
  ])("accepts a body with %j", async (headers) => {
    const response = await send({ headers, json: bodyOf(operation, organization) });
    expect(response).toEqual({ answer: success, calls: 1 });
  });

  test.each([
    { what: "up to 64 KiB", bytes: 65_536, calls: 1 },
    {
      what: "of more than 64 KiB, which is validated only after the gate has accepted the key,",
      bytes: 65_537,
      calls: 2,
    },
    { what: "of exactly 1 MiB", bytes: 1_048_576, calls: 2 },
  ])("reads a body $what both at once and in chunks", async (row) => {
    const body = new Uint8Array(row.bytes).fill(0x20);
    body.set(new TextEncoder().encode(JSON.stringify(bodyOf(operation, organization))));
    const chunked = new ReadableStream({
      type: "bytes",
      start(controller) {
        controller.enqueue(body.slice(0, 40_000));
        controller.enqueue(body.slice(40_000));
        controller.close();
      },
    });
    for (const sent of [body, chunked]) {
      const response = await send({ headers: json, body: sent });
      expect(response).toEqual({ answer: success, calls: row.calls });
    }
  });
});

// A GET cannot have a body (Fetch standard, section 5.4).
const withoutBody = operations.filter(({ json, method }) => json === undefined && method !== "GET");

test.each(withoutBody)("$name, which does not take a body, ignores one", async (operation) => {
  const organization = await mintPopulatedOrganization();
  const answer = await perform(openApi(), operation, organization, {
    key: organization.keys.owner,
    headers: { "Content-Type": "text/plain" },
    body: "{",
  });
  expect(seen(answer)).toMatchObject({ status: operation.status });
});

test("all issues in the path and the body are returned in one response", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const answer = await api.send("PUT", "/api/v1/credentials/not-a-uuid", {
    key: keys.owner,
    json: { name: " ", organization_id: 5, tags: ["x"], credential_type: {}, extra: 1 },
  });
  expect(seen(answer)).toEqual(
    invalidAt(
      "path.id",
      "body.name",
      "body.organization_id",
      "body.tags[0]",
      "body.assigned_network_ids",
      "body.host_assignments",
      "body.credential_type.type",
      "body.extra",
    ),
  );
  expect(await api.calls()).toBe(1);
});
