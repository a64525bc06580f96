import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, it } from "vitest";
import { describeLocalDatabase } from "../helpers/local-databases.ts";

describeLocalDatabase("access", (subject) => {
  const port = () => Number(new URL(subject.database.endpoint).port);

  const statusOf = (path: string, method: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request(
        { host: "127.0.0.1", port: port(), path, method, headers },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      sent.once("error", reject);
      sent.end(method === "POST" ? '{"query": "select 1"}' : undefined);
    });

  const driver = () => ({
    "neon-connection-string": subject.database.connectionString,
    "neon-raw-text-output": "true",
  });

  const canConnect = (host: string) =>
    new Promise<boolean>((resolve) => {
      const socket = connect({ host, port: port() });
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("close", () => socket.destroy());
      setTimeout(() => socket.destroy(), 1000).unref();
      socket.once("connect", () => socket.destroy());
    });

  it("is possible on 127.0.0.1, and on no other address of the machine", async () => {
    expect(new URL(subject.database.endpoint).hostname).toBe("127.0.0.1");
    expect(await canConnect("127.0.0.1")).toBe(true);
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ address, scopeid }) => address !== "127.0.0.1" && !scopeid);
    for (const { address } of [...others, { address: "127.0.0.2" }]) {
      expect([address, await canConnect(address)]).toEqual([address, false]);
    }
  });

  it("is for requests that mean this machine, not for a name that happens to lead to it", async () => {
    for (const host of ["127.0.0.1", "localhost", `localhost:${port()}`, `127.0.0.1:${port()}`]) {
      expect(await statusOf("/sql", "POST", { ...driver(), host })).toBe(200);
    }
    for (const host of ["example.com", "127.0.0.1.example.com", "localhost.example.com:80", "x"]) {
      expect(await statusOf("/sql", "POST", { ...driver(), host })).toBe(403);
      expect(await statusOf("/probes/x", "GET", { host })).toBe(403);
    }
  });

  it("needs the driver's header, which a browser does not send to another origin unasked", async () => {
    const { "neon-connection-string": _, ...without } = driver();
    expect(await statusOf("/sql", "POST", without)).toBe(400);
    expect(await statusOf("/sql", "POST", { ...without, "neon-connection-string": "x" })).toBe(400);
    expect(await statusOf("/sql", "OPTIONS", { origin: "https://example.com" })).toBe(404);
  });

  it("is to nothing but the two addresses", async () => {
    for (const path of ["/", "/sql/", "/sqlx", "/probes", "/probes/", "/probes/a/b"]) {
      expect([path, await statusOf(path, "GET", driver())]).toEqual([path, 404]);
    }
    expect(await statusOf("/sql", "GET", driver())).toBe(404);
  });
});
