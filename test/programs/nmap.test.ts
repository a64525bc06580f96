import { execFile, execFileSync } from "node:child_process";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readNmap } from "../../src/imports/nmap/nmap.ts";

function isInstalled(): boolean {
  try {
    execFileSync("nmap", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** UDP scans and OS detection send raw packets, so they require root privileges. */
const isRoot = process.getuid?.() === 0;

/**
 * Scans one of this machine's addresses with nmap, for at most half a minute. Returns the parsed
 * output.
 */
async function scan(...options: string[]) {
  const { stdout } = await promisify(execFile)(
    "nmap",
    ["-n", "--host-timeout", "30s", "-oX", "-", ...options],
    { encoding: "buffer", timeout: 60_000 },
  );
  return readNmap(stdout);
}

function portOf(server: Server): number {
  const bound = server.address();
  if (bound === null || typeof bound === "string") {
    throw new Error("The server does not listen on a port.");
  }
  return bound.port;
}

async function listen<Listening extends Server>(server: Listening, address: string) {
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return server;
}

const web = createHttpServer((_, response) => {
  response.setHeader("Server", "nginx/1.24.0");
  response.end("hello");
});
const web6 = createHttpServer((_, response) => response.end("hello"));
const shell = createServer((socket) => {
  socket.on("error", () => {});
  socket.end("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u2\r\n");
});
const gone = createServer();
let closed = 0;

beforeAll(async () => {
  await Promise.all([web, shell, gone].map((server) => listen(server, "127.0.0.1")));
  await listen(web6, "::1");
  closed = portOf(gone);
  await new Promise((resolve) => gone.close(resolve));
});

afterAll(() => {
  for (const server of [web, web6, shell]) {
    server.close();
  }
});

const address = { ip_address: "127.0.0.1", mac_address: null };
const probed = { is_guess: false, is_of_port: true };
const range = (port: number, protocol = "Tcp") => ({ protocol, from: port, to: port });

describe.skipIf(!isInstalled())("the installed nmap's output for this machine", () => {
  test("with probed services is read", async () => {
    const ports = [portOf(web), portOf(shell), closed];
    const { source, observed_at, hosts } = await scan("-sT", "-sV", `-p${ports}`, "127.0.0.1");
    expect(source.name).toBe("nmap");
    expect(Math.abs(Date.parse(observed_at ?? "") - Date.now())).toBeLessThan(60_000);
    expect(hosts).toHaveLength(1);
    expect(hosts[0]).toMatchObject({ name: "127.0.0.1", hostname: null, addresses: [address] });
    expect(hosts[0]?.ports.toSorted((a, b) => Number(a.number) - Number(b.number))).toEqual(
      [
        {
          number: portOf(web),
          protocol: "Tcp",
          service: { ...probed, name: "HTTP", definition: "nginx", version: "nginx 1.24.0" },
        },
        {
          number: portOf(shell),
          protocol: "Tcp",
          service: {
            ...probed,
            name: "SSH",
            definition: "OpenSSH",
            version: expect.stringContaining("OpenSSH 9.2p1"),
          },
        },
      ].toSorted((a, b) => a.number - b.number),
    );
    const scanned = hosts[0]?.scanned_ports.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    expect(scanned).toBe(3);
  });

  test("with -6 is read", async () => {
    const { hosts } = await scan("-6", "-sT", `-p${portOf(web6)}`, "::1");
    expect(hosts).toMatchObject([
      {
        name: "::1",
        ports: [{ number: portOf(web6), protocol: "Tcp" }],
        scanned_ports: [range(portOf(web6))],
      },
    ]);
  });

  test("with -sn, which does not scan ports, is read", async () => {
    const { hosts } = await scan("-sn", "127.0.0.1");
    expect(hosts).toMatchObject([{ addresses: [address], ports: [], scanned_ports: [] }]);
  });

  test("with -sL, which does not scan hosts, is read", async () => {
    expect((await scan("-sL", "127.0.0.1")).hosts).toEqual([]);
  });

  test.runIf(isRoot)("with -sS, -sU and -O together is read", async () => {
    const { hosts } = await scan("-sS", "-sU", "-O", `-pT:${portOf(web)},U:${closed}`, "127.0.0.1");
    expect(hosts).toMatchObject([
      {
        addresses: [address],
        ports: [{ number: portOf(web), protocol: "Tcp" }],
        scanned_ports: [range(portOf(web)), range(closed, "Udp")],
      },
    ]);
  });

  test("is rejected if nmap stopped with an error", async () => {
    const error = await scan("-p", "no-such-service", "127.0.0.1").catch((caught) => caught);
    expect(error).toMatchObject({ code: 1, stdout: expect.anything() });
    expect(() => readNmap(error.stdout)).toThrow("the scan ended with an error");
  });
});
