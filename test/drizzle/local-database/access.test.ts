import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, it } from "vitest";
import { startLocalDatabase } from "../../../drizzle/local/server.ts";
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
      sent.end(method === "POST" ? '{"query": "select 1", "params": []}' : undefined);
    });

  const driver = () => ({
    "neon-connection-string": subject.database.connectionString,
    "neon-raw-text-output": "true",
    "neon-array-mode": "true",
  });

  const canConnect = (host: string) =>
    new Promise<boolean>((resolve) => {
      const socket = connect({ host, port: port() });
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("close", () => socket.destroy());
      setTimeout(() => socket.destroy(), 1000).unref();
      socket.once("connect", () => socket.destroy());
    });

  it("is possible on 127.0.0.1, but not on the machine's other addresses", async () => {
    expect(new URL(subject.database.endpoint).hostname).toBe("127.0.0.1");
    expect(await canConnect("127.0.0.1")).toBe(true);
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ address, scopeid }) => address !== "127.0.0.1" && !scopeid);
    for (const { address } of [...others, { address: "127.0.0.2" }]) {
      expect([address, await canConnect(address)]).toEqual([address, false]);
    }
  });

  it("is limited to requests whose Host is this machine, which prevents DNS rebinding", async () => {
    for (const host of ["127.0.0.1", "localhost", `localhost:${port()}`, `127.0.0.1:${port()}`]) {
      expect(await statusOf("/sql", "POST", { ...driver(), host })).toBe(200);
    }
    for (const host of ["example.com", "127.0.0.1.example.com", "localhost.example.com:80", "x"]) {
      expect(await statusOf("/sql", "POST", { ...driver(), host })).toBe(403);
    }
  });

  it("requires the password, which changes with every start", async () => {
    const { "neon-connection-string": connectionString, ...without } = driver();
    const wrong = new URL(connectionString);
    expect(wrong.password).toMatch(/^[\da-f]{48}$/);
    wrong.password = `${wrong.password.slice(0, -1)}x`;
    expect(await statusOf("/sql", "POST", without)).toBe(400);
    for (const header of ["x", "postgresql://local@localhost/inventory", wrong.href]) {
      expect(await statusOf("/sql", "POST", { ...without, "neon-connection-string": header })).toBe(
        400,
      );
    }
    const next = await startLocalDatabase({ databaseUrl: "postgresql://127.0.0.1:1/nowhere" });
    await next.close();
    expect(next.connectionString).not.toBe(connectionString);
  });

  it("is denied to web pages: a CORS preflight fails", async () => {
    expect(await statusOf("/sql", "OPTIONS", { origin: "https://example.com" })).toBe(404);
  });

  it("is limited to one path", async () => {
    for (const path of ["/", "/sql/", "/sqlx", "/sql?x", "/probes/x"]) {
      expect([path, await statusOf(path, "POST", driver())]).toEqual([path, 404]);
    }
    expect(await statusOf("/sql", "GET", driver())).toBe(404);
  });
});
