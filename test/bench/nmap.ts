/**
 * What it costs a Worker to read a file of nmap: CPU and memory, above those of reading only the
 * bytes. `node test/bench/nmap.ts`
 */
import * as z from "zod";
import { bundle } from "./bundle.ts";
import { emptyNmapFile, nmapFile, probed } from "./nmap-file.ts";
import { cpuMs, forgetPeak, memoryMib, peakMemoryMib } from "./process.ts";
import { type RunningWorker, startWorkerd } from "./workerd.ts";

const rounds = 10;
const mib = 1024 * 1024;

const read = z.object({ hosts: z.int(), ports: z.int(), bytes: z.int() });

async function send({ origin }: RunningWorker, path: string, body: string) {
  const response = await fetch(origin + path, { method: "POST", body });
  return read.parse(await response.json());
}

/** The CPU of one request, in milliseconds, and by how much it raises the most memory, in MiB. */
async function cost(script: string, path: string, body: string) {
  const worker = await startWorkerd({ modules: { "entry.js": script } });
  try {
    await send(worker, path, emptyNmapFile);
    const memory = memoryMib(worker.pid);
    forgetPeak(worker.pid);
    const seen = await send(worker, path, body);
    const growth = peakMemoryMib(worker.pid) - memory;
    const cpu = cpuMs(worker.pid);
    for (let round = 0; round < rounds; round++) {
      await send(worker, path, body);
    }
    return { ...seen, cpu: (cpuMs(worker.pid) - cpu) / rounds, growth };
  } finally {
    await worker.stop();
  }
}

const { script } = bundle("test/bench/nmap-worker.ts");
const files: [what: string, text: string][] = [
  ["2 MB, 8 probed ports a host", nmapFile(2_000_000, 8, probed)],
  ["8 MiB, 8 probed ports a host", nmapFile(8 * mib, 8, probed)],
  ["8 MiB, 1,000 ports a host, as many as fit", nmapFile(8 * mib, 1000, "")],
];
for (const [what, text] of files) {
  const ours = await cost(script, "/", text);
  const bytes = await cost(script, "/bytes", text);
  console.log(
    `${what}: ${ours.bytes} bytes, ${ours.hosts} hosts, ${ours.ports} ports; CPU ${ours.cpu.toFixed(0)} ms (bytes alone ${bytes.cpu.toFixed(0)} ms), memory +${ours.growth.toFixed(1)} MiB (bytes alone +${bytes.growth.toFixed(1)} MiB)`,
  );
}
