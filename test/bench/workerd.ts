import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { unstable_readConfig as readConfig } from "wrangler";
import * as z from "zod";

/**
 * V8 collects garbage late, when its heap is nearly full. A small heap, in MiB, reveals how much
 * memory lists really need.
 */
export const smallHeapMib = 40;

/** The configuration of a workerd process. */
export interface WorkerSource {
  /** ES modules by name. The first one is the Worker. */
  modules: Readonly<Record<string, string>>;
  variables?: Readonly<Record<string, string>>;
  /** The classes of Durable Objects, which the Worker exports, by the names of their bindings. */
  durableObjects?: Readonly<Record<string, string>>;
  /** The maximum size of V8's heap, including new objects, in MiB; by default, V8 decides. */
  heapMib?: number;
}

/** A Worker in bare workerd, without a proxy or any other tool. */
export interface RunningWorker {
  /** Its address, without a trailing slash. */
  origin: string;
  pid: number;
  stop(): Promise<void>;
}

/** The program itself, not the script that npm installs in its place on some machines. */
const program = z
  .object({ default: z.string() })
  .parse(createRequire(createRequire(import.meta.url).resolve("wrangler"))("workerd")).default;

const { compatibility_date, compatibility_flags } = readConfig({ config: "wrangler.toml" });

/** Running processes are killed when this process exits for any reason. */
const running = new Map<ChildProcess, string>();
process.once("exit", () => {
  for (const [child, folder] of running) {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});

const listening = z.object({ event: z.literal("listen"), port: z.int() });

/** Starts workerd with one Worker, on a free local port. */
export async function startWorkerd(source: WorkerSource): Promise<RunningWorker> {
  const folder = mkdtempSync(join(tmpdir(), "bench-workerd-"));
  for (const [name, text] of Object.entries(source.modules)) {
    writeFileSync(join(folder, name), text);
  }
  const file = join(folder, "config.capnp");
  writeFileSync(file, configuration(source));
  const child = spawn(program, ["serve", "--control-fd=3", file], {
    stdio: ["ignore", "ignore", process.env["BENCH_VERBOSE"] ? "inherit" : "ignore", "pipe"],
  });
  running.set(child, folder);
  const exited = once(child, "exit").finally(() => running.delete(child));
  const control = child.stdio[3];
  if (!(control instanceof Readable) || child.pid === undefined) {
    throw new Error("workerd did not start.");
  }
  const [line] = await Promise.race([
    once(createInterface(control), "line"),
    exited.then(() => Promise.reject(new Error("workerd ended at once."))),
  ]);
  const { port } = listening.parse(JSON.parse(String(line)));
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid,
    async stop() {
      child.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const list = (items: readonly string[]) => `[${items.join(", ")}]`;

/** The configuration in Cap'n Proto's text format, whose strings use JSON syntax. */
function configuration({
  modules,
  variables = {},
  durableObjects = {},
  heapMib,
}: WorkerSource): string {
  const text = (value: string) => JSON.stringify(value);
  const module = (name: string) => `(name = ${text(name)}, esModule = embed ${text(name)})`;
  const variable = ([name, value]: [string, string]) =>
    `(name = ${text(name)}, text = ${text(value)})`;
  const objects = Object.entries(durableObjects);
  const binding = ([name, className]: [string, string]) =>
    `(name = ${text(name)}, durableObjectNamespace = ${text(className)})`;
  const namespace = ([, className]: [string, string]) =>
    `(className = ${text(className)}, uniqueKey = ${text(className)})`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
  v8Flags = ${list(heapMib === undefined ? [] : [text(`--max-heap-size=${heapMib}`)])},
);
const worker :Workerd.Worker = (
  modules = ${list(Object.keys(modules).map(module))},
  compatibilityDate = ${text(compatibility_date ?? "")},
  compatibilityFlags = ${list(compatibility_flags.map(text))},
  bindings = ${list([...Object.entries(variables).map(variable), ...objects.map(binding)])},
  durableObjectNamespaces = ${list(objects.map(namespace))},
  durableObjectStorage = (inMemory = void),
);
`;
}
