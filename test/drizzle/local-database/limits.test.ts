import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { describeLocalDatabase, post } from "../helpers/local-databases.ts";

const maximum = 10 * 1024 * 1024;

/** Returns a request of exactly this many bytes. */
function requestOf(bytes: number): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(bytes).fill(" ".charCodeAt(0));
  body.set(new TextEncoder().encode('{"query": "select 1", "params": []}'));
  return body;
}

describeLocalDatabase("10 MiB", (subject) => {
  it("are accepted in a request, but not one byte more", async () => {
    const largest = await post(subject, requestOf(maximum));
    expect([largest.status, await largest.json()]).toMatchObject([200, { rows: [["1"]] }]);
    // The request is rejected before its body has been read, so the caller may still be sending.
    const outcome = await post(subject, requestOf(maximum + 1)).then(
      async (response) => [response.status, await response.json()],
      () => "broken connection",
    );
    expect([
      "broken connection",
      [413, expect.objectContaining({ message: "request is too large (max is 10485760 bytes)" })],
    ]).toContainEqual(outcome);
  });

  it("are checked against Content-Length before the body arrives", async () => {
    const { hostname, port } = new URL(subject.database.endpoint);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /sql HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${maximum + 1}\r\n` +
        `Neon-Connection-String: ${subject.database.connectionString}\r\n\r\n{`,
    );
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("are returned in a response, but not one byte more", async () => {
    const responseOf = (characters: number) =>
      post(subject, JSON.stringify({ query: `select repeat('x', ${characters})`, params: [] }));
    const frame = (await (await responseOf(0)).arrayBuffer()).byteLength;
    const largest = await responseOf(maximum - frame);
    expect([largest.status, (await largest.arrayBuffer()).byteLength]).toEqual([200, maximum]);
    const tooLarge = await responseOf(maximum - frame + 1);
    expect([tooLarge.status, await tooLarge.json()]).toMatchObject([
      507,
      { message: "response is too large (max is 10485760 bytes)", code: "" },
    ]);
  });

  it("apply to the combined results of a batch, and a batch that exceeds them has no effect", async () => {
    await subject.sql`create table kept (id int)`;
    const six = "select repeat('x', 1000) from generate_series(1, 6000)";
    const error = await subject.sql
      .transaction((sql) => [sql`insert into kept values (1)`, sql.query(six), sql.query(six)])
      .catch((reason) => reason);
    expect(error.message).toMatch(/^Server error \(HTTP status 507\)/);
    expect(await subject.sql`select * from kept`).toEqual([]);
  });
});
