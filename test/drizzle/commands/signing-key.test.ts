import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { expect, it } from "vitest";
import { parseSigningKeys } from "../../../src/env.ts";
import { npmOutput } from "../helpers/npm.ts";

const run = (...names: string[]) => npmOutput("signing-key", names, {});

it("npm run signing-key prints a private key and the matching public key", async () => {
  const { status, stdout } = await run("2026-01");
  expect(status).toBe(0);
  const [key] = parseSigningKeys(stdout);
  expect(key?.name).toBe("2026-01");
  const text = (from: number, to: number) =>
    Buffer.from(key?.key.subarray(from, to) ?? []).toString("base64url");
  const [d, x] = [text(0, 32), text(32, 64)];
  const jwk = { kty: "OKP", crv: "Ed25519", x };
  const message = Buffer.from("a message");
  const signature = sign(null, message, createPrivateKey({ key: { ...jwk, d }, format: "jwk" }));
  expect(verify(null, message, createPublicKey({ key: jwk, format: "jwk" }), signature)).toBe(true);
});

it("npm run signing-key prints a different name and key each time", async () => {
  const entries = await Promise.all([run(), run()]);
  const keys = parseSigningKeys(entries.map(({ stdout }) => stdout.trim()).join(","));
  expect(keys[0]?.key).not.toEqual(keys[1]?.key);
});

it.each([[["a.b"]], [["a", "b"]]])("npm run signing-key rejects %j", async (names) => {
  const { status, stderr } = await run(...names);
  expect(status).toBe(2);
  expect(stderr).toContain("Usage:");
});
