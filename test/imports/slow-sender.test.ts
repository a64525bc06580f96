import { expect, test } from "vitest";
import { at, type Imports, openImports } from "./helpers.ts";

const path = ({ network_id }: Imports) => `/api/v1/networks/${network_id}/imports`;

/** A body that is too large to be read without a slot. */
const large = (import_: object) => JSON.stringify(import_).padEnd(100_000);

/** Starts an import whose sender stalls after 100,000 bytes. */
function stall(imports: Imports) {
  let controller: ReadableByteStreamController | undefined;
  const body = new ReadableStream({
    type: "bytes",
    start(own) {
      controller = own;
      own.enqueue(new TextEncoder().encode(large({ hosts: [] })));
    },
  });
  let isOver = false;
  const response = imports.api
    .send("POST", path(imports), {
      key: imports.organization.keys.member,
      headers: { "Content-Type": "application/json" },
      body,
    })
    .finally(() => {
      isOver = true;
    });
  return {
    response,
    get isOver() {
      return isOver;
    },
    end: () => controller?.close(),
  };
}

test("a stalled sender does not block the import of another organization", async () => {
  const [slow, other] = [await openImports(), await openImports()];
  const stalled = stall(slow);
  const response = await other.api.send("POST", path(other), {
    key: other.organization.keys.member,
    headers: { "Content-Type": "application/json" },
    body: large({ hosts: [at("10.0.0.1")] }),
  });
  expect(response).toMatchObject({ status: 200 });
  expect(stalled.isOver).toBe(false);
  stalled.end();
  expect(await stalled.response).toMatchObject({
    status: 400,
    body: { code: "validation_failed" },
  });
});
