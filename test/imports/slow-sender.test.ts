import { expect, test } from "vitest";
import { at, type Imports, openImports } from "./helpers.ts";

const path = ({ network_id }: Imports) => `/api/v1/networks/${network_id}/imports`;

/** More than is read without room for it. */
const large = (import_: object) => JSON.stringify(import_).padEnd(100_000);

/** Begins an import whose sender stalls after 100,000 bytes of it. */
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

test("a sender that stalls does not keep the import of another organization waiting", async () => {
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
