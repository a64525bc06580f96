import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "../../../src/errors/errors.ts";
import { report, reports, tryRead } from "./reading.ts";

const samples = Object.keys(reports).map((name) => new TextEncoder().encode(report(name)));

/** Fragments that are meaningful to an XML parser or to the nmap reader. */
const pieces = [
  "<",
  ">",
  "&",
  '"',
  "'",
  "/",
  "/>",
  "</",
  "<!--",
  "-->",
  "--",
  "<![CDATA[",
  "]]>",
  "<?",
  "?>",
  "<!DOCTYPE",
  "&#0;",
  "&#10;",
  "&amp;",
  "\0",
  "\u00e9",
  "\ufeff",
  "\ud83d\ude00",
  "</host>",
  "<host>",
  "</nmaprun>",
  "<nmaprun>",
  '<port protocol="tcp" portid="80">',
  '<state state="open"/>',
  "<ports>",
  "</ports>",
  " ",
  "\n",
  "=",
  "%",
  "-1",
  "99999",
].map((piece) => new TextEncoder().encode(piece));

const mutation = fc.record({
  at: fc.nat({ max: 4000 }),
  remove: fc.oneof(fc.constant(0), fc.nat({ max: 4 }), fc.nat({ max: 2000 })),
  insert: fc.oneof(fc.constantFrom(...pieces), fc.uint8Array({ maxLength: 3 })),
});

type Mutation = { at: number; remove: number; insert: Uint8Array };
const mutate = (bytes: Uint8Array, { at, remove, insert }: Mutation) =>
  new Uint8Array([...bytes.subarray(0, at), ...insert, ...bytes.subarray(at + remove)]);

test("either reads a mutated report in full or rejects it", () => {
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...samples),
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      (sample, mutations) => {
        const result = tryRead(mutations.reduce(mutate, sample));
        if (result instanceof ApiError) {
          refused++;
          expect(result.params.line).toBeGreaterThan(0);
          expect(result.message.length).toBeLessThan(1000);
          return;
        }
        accepted++;
        expect(result.source.name).not.toBe("");
        for (const host of result.hosts) {
          for (const { number, protocol } of host.ports) {
            expect(["number", "string"]).toContain(typeof number);
            expect(["Tcp", "Udp"]).toContain(protocol);
          }
          for (const { from, to } of host.scanned_ports) {
            expect(from).toBeGreaterThan(0);
            expect(to).toBeGreaterThanOrEqual(from);
          }
        }
      },
    ),
    { numRuns: 3000 },
  );
  expect(accepted).toBeGreaterThan(20);
  expect(refused).toBeGreaterThan(20);
});

test("rejects random bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(tryRead(bytes)).toBeInstanceOf(ApiError);
    }),
    { numRuns: 2000 },
  );
});
