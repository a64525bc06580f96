import * as fc from "fast-check";
import { expect, test } from "vitest";
import { lldpcliBody, neighborReport } from "../../src/imports/lldpcli.ts";
import { at, openImports } from "./helpers.ts";

/** Names with a meaning in lldpcli's output, or in JavaScript, and other texts. */
const texts = fc.oneof(
  fc.constantFrom("eth0", " eth0", "eth0\0", "ETH0", "id", "name", "via", "value", "chassis"),
  fc.constantFrom("__proto__", "constructor", "", " ", "\ud800", "x".repeat(256), "10.0.0.1"),
  fc.string({ unit: "grapheme" }),
);

/** What lldpcli prints or, less often, any other value. */
const or = (printed: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { arbitrary: printed, weight: 30 },
    { arbitrary: texts, weight: 1 },
    { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 1 },
  );

/** A list, of which `json` writes a single member without the list. */
const listed = (member: fc.Arbitrary<unknown>, maxLength = 1) =>
  or(fc.oneof(member, fc.array(member, { minLength: 1, maxLength })));

const printedTexts = listed(fc.oneof(texts, fc.record({ value: texts })), 10);

/** An object around which its name may be written. */
const named = (fields: fc.Arbitrary<object>) =>
  fc
    .tuple(texts, fields, fc.constantFrom("around", "inside", "none"))
    .map(([name, one, place]) =>
      place === "around"
        ? Object.fromEntries([[name, one]])
        : place === "inside"
          ? { name, ...one }
          : one,
    );

const ids = or(
  fc.record({
    type: or(fc.constantFrom("mac", "ip", "ifname", "ifalias", "local", "unhandled")),
    value: or(fc.constantFrom("02:00:5e:00:00:01", "192.168.1.3", "gi1/0/8", "")),
  }),
);

const neighbors = fc.record(
  {
    via: or(fc.constantFrom("LLDP", "CDPv1", "CDPv2", "EDP")),
    chassis: listed(
      named(
        fc.record(
          { id: listed(ids), descr: printedTexts, "mgmt-ip": printedTexts },
          { requiredKeys: ["id"] },
        ),
      ),
    ),
    port: listed(fc.record({ id: listed(ids), descr: printedTexts }, { requiredKeys: ["id"] })),
  },
  { requiredKeys: ["via"] },
);

const bodies = listed(fc.record({ interface: listed(named(neighbors), 10) })).map((lldp) =>
  JSON.parse(JSON.stringify({ lldp })),
);

test("reads or rejects every value", () => {
  let read = 0;
  fc.assert(
    fc.property(bodies, fc.boolean(), (body, isComplete) => {
      const { success, data } = lldpcliBody.safeParse(body);
      if (success) {
        const report = neighborReport(data, { hostId: crypto.randomUUID(), isComplete });
        read += report.hosts.flatMap(({ interfaces }) => interfaces ?? []).length;
      }
    }),
    { numRuns: 500 },
  );
  expect(read).toBeGreaterThan(50);
});

test("stores what it reads, and nothing of a value that it rejects", async () => {
  const { take, send, list } = await openImports();
  const interfaces = [{ if_index: 1, name: "eth0" }];
  const { hosts } = await take([at("10.0.0.1", { interfaces })]);
  const path = `hosts/${hosts[0]?.host_id}/imports?complete=true`;
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const before = await list("neighbors");
      const { status } = await send("POST", path, body);
      expect([200, 400]).toContain(status);
      if (status === 400) {
        expect(await list("neighbors")).toEqual(before);
      }
    }),
    { numRuns: 8 },
  );
});
