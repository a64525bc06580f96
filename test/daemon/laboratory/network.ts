import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The subnet of the laboratory. Each host has a namespace, and so does the switch. */
export const subnet = "10.91.0.0/29";
export const addresses = {
  daemon1: "10.91.0.2",
  daemon2: "10.91.0.3",
  docker: "10.91.0.4",
  agent: "10.91.0.5",
} as const;
type Place = keyof typeof addresses;
const places = Object.keys(addresses) as Place[];

/** Open ports on the Docker host. Only a full scan finds the two high ones. */
export const dockerPorts = { proxy: 2375, published: 8088, high: [1024, 45_678] } as const;

/** The URLs at which the service contacts the daemons. */
export const daemonUrls = {
  daemon1: "http://10.78.8.2:60073",
  daemon2: "http://10.78.8.6:60074",
} as const;
export type DaemonPlace = keyof typeof daemonUrls;

/** The service's ends of the links to the daemons, in the order of {@link daemonUrls}. */
const managementLinks = ["nial-m0", "nial-m1"];

const namespaceOf = (place: string) => `nial-${place}`;

function ip(...parameters: string[]): void {
  execFileSync("ip", parameters, { stdio: ["ignore", "ignore", "pipe"] });
}

function removeNamespaces(): void {
  const parts = [
    // Links are deleted first, since their far ends briefly outlive the namespaces.
    ...managementLinks.map((link) => ["link", "del", link]),
    ...[...places, "switch"].map((place) => ["netns", "del", namespaceOf(place)]),
  ];
  for (const part of parts) {
    try {
      ip(...part);
    } catch {
      // The link or namespace did not exist.
    }
  }
}

function makeNamespaces(): void {
  removeNamespaces();
  const hub = namespaceOf("switch");
  ip("netns", "add", hub);
  ip("-n", hub, "link", "add", "hub", "type", "bridge");
  ip("-n", hub, "link", "set", "hub", "up");
  for (const [index, place] of places.entries()) {
    const namespace = namespaceOf(place);
    ip("netns", "add", namespace);
    ip("-n", namespace, "link", "set", "lo", "up");
    ip(
      "-n",
      hub,
      "link",
      "add",
      `to-${place}`,
      "type",
      "veth",
      "peer",
      "name",
      "nial0",
      "netns",
      namespace,
    );
    // Gives the interface the same MAC address in every run; the default is random.
    ip("-n", namespace, "link", "set", "nial0", "address", `ce:11:00:00:00:0${index + 1}`);
    ip("-n", hub, "link", "set", `to-${place}`, "master", "hub", "up");
    ip("-n", namespace, "addr", "add", `${addresses[place]}/29`, "dev", "nial0");
    ip("-n", namespace, "link", "set", "nial0", "up");
  }
  for (const [index, place] of (["daemon1", "daemon2"] as const).entries()) {
    const namespace = namespaceOf(place);
    const link = managementLinks[index] ?? "";
    ip("link", "add", link, "type", "veth", "peer", "name", "manage", "netns", namespace);
    ip("addr", "add", `10.78.8.${4 * index + 1}/30`, "dev", link);
    ip("link", "set", link, "up");
    ip("-n", namespace, "addr", "add", `10.78.8.${4 * index + 2}/30`, "dev", "manage");
    ip("-n", namespace, "link", "set", "manage", "up");
  }
}

/** A network with a Docker host, an SNMP agent and room for two daemons. */
export interface Laboratory {
  startDaemon(place: DaemonPlace, options: { key: string; networkId: string }): Promise<void>;
  /** Kills a daemon without shutting it down, as a power cut would. */
  killDaemon(place: DaemonPlace): Promise<void>;
  /** Stops everything and removes the network. */
  close(): Promise<void>;
}

/**
 * Builds the network and starts the programs that listen on it. Needs root, iproute2, util-linux
 * and snmpd.
 * @param program the stock daemon
 * @param folder the folder for configuration files and logs
 */
export async function raiseLaboratory(program: string, folder: string): Promise<Laboratory> {
  await chmod(program, 0o755);
  makeNamespaces();
  const running = new Map<string, ChildProcess>();

  /** Runs a program on a host with the host's own hostname. */
  const run = (name: string, place: Place, command: readonly string[], home = folder) => {
    const log = createWriteStream(join(folder, `${name}.log`), { flags: "a" });
    const child = spawn(
      "unshare",
      [
        ...["--uts", "sh", "-c", 'hostname "$0" && exec ip netns exec "$@"'],
        ...[place, namespaceOf(place), ...command],
      ],
      { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, HOME: home, MIBS: "" } },
    );
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    running.set(name, child);
    return child;
  };
  const kill = async (name: string, signal: "SIGTERM" | "SIGKILL") => {
    const child = running.get(name);
    running.delete(name);
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, "exit");
    }
  };

  const beside = (file: string) => fileURLToPath(new URL(file, import.meta.url));
  run("docker-proxy", "docker", [
    process.execPath,
    beside("docker-proxy.ts"),
    String(dockerPorts.proxy),
  ]);
  for (const port of [dockerPorts.published, ...dockerPorts.high]) {
    run(`listener-${port}`, "docker", [process.execPath, beside("listener.ts"), String(port)]);
  }
  const configuration = join(folder, "snmpd.conf");
  await writeFile(
    configuration,
    ["rocommunity public", "sysName switch-hc", "sysLocation cellar", "sysContact nobody", ""].join(
      "\n",
    ),
  );
  run("snmpd", "agent", [
    "snmpd",
    "-f",
    "-Lo",
    "-C",
    "-c",
    configuration,
    "-p",
    join(folder, "snmpd.pid"),
    "udp:161",
  ]);

  return {
    async startDaemon(place, { key, networkId }) {
      const home = join(folder, place);
      await mkdir(home, { recursive: true });
      run(
        place,
        place,
        [
          program,
          ...["--mode", "server_poll", "--server-url", "http://127.0.0.1:9"],
          ...["--network-id", networkId, "--daemon-api-key", key, "--name", "Scanopy Daemon"],
          ...["--daemon-port", new URL(daemonUrls[place]).port, "--bind-address", "0.0.0.0"],
          ...["--interfaces", "nial0", "--log-level", "info"],
          ...["--log-file", join(home, "daemon.log")],
        ],
        home,
      );
      const giveUpAt = Date.now() + 30_000;
      while (!(await answers(`${daemonUrls[place]}/api/health`))) {
        if (Date.now() > giveUpAt) {
          throw new Error(`${place} does not start`);
        }
        await sleep(200);
      }
    },
    killDaemon: (place) => kill(place, "SIGKILL"),
    async close() {
      for (const name of [...running.keys()]) {
        await kill(name, "SIGTERM");
      }
      removeNamespaces();
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1000) })).ok;
  } catch {
    return false;
  }
}
