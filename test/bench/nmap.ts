/**
 * What it costs a Worker to read a file of nmap: CPU and memory, above those of reading only the
 * bytes. `node test/bench/nmap.ts`
 */
import * as z from "zod";
import { bundle } from "./bundle.ts";
import { cpuMs, forgetPeak, memoryMib, peakMemoryMib } from "./process.ts";
import { type RunningWorker, startWorkerd } from "./workerd.ts";

const rounds = 10;
const mib = 1024 * 1024;

const start =
  '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE nmaprun>\n<nmaprun scanner="nmap" version="7.93" start="1776873600">\n<scaninfo type="syn" protocol="tcp" numservices="1000" services="1-1000"/>\n';
const end = '<runstats><finished time="1776873640" exit="success"/></runstats>\n</nmaprun>\n';

const probed =
  '<service name="http" product="nginx" version="1.24.0" method="probed" conf="10"><cpe>cpe:/a:igor_sysoev:nginx:1.24.0</cpe></service>';
const port = (number: number, service: string) =>
  `<port protocol="tcp" portid="${number}"><state state="open" reason="syn-ack" reason_ttl="64"/>${service}</port>\n`;

/** A file of at most so many bytes, of hosts with so many open ports each. */
function file(bytes: number, portsPerHost: number, service: string): string {
  const ports = Array.from({ length: portsPerHost }, (_, index) => port(index + 1, service)).join(
    "",
  );
  const host = (index: number) =>
    `<host starttime="1776873600" endtime="1776873640"><status state="up" reason="arp-response" reason_ttl="0"/>\n<address addr="10.0.${index >> 8}.${index & 255}" addrtype="ipv4"/>\n<address addr="02:00:00:00:00:01" addrtype="mac"/>\n<hostnames>\n<hostname name="host-${index}.example" type="PTR"/>\n</hostnames>\n<ports>${ports}</ports>\n</host>\n`;
  const count = Math.min(Math.floor((bytes - start.length - end.length) / host(9999).length), 5000);
  return start + Array.from({ length: count }, (_, index) => host(index)).join("") + end;
}

const read = z.object({ hosts: z.int(), ports: z.int(), bytes: z.int() });

async function send({ origin }: RunningWorker, path: string, body: string) {
  const response = await fetch(origin + path, { method: "POST", body });
  return read.parse(await response.json());
}

/** The CPU of one request, in milliseconds, and by how much it raises the most memory, in MiB. */
async function cost(script: string, path: string, body: string) {
  const worker = await startWorkerd({ modules: { "entry.js": script } });
  try {
    await send(worker, path, start + end);
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
  ["2 MB, 8 probed ports a host", file(2_000_000, 8, probed)],
  ["8 MiB, 8 probed ports a host", file(8 * mib, 8, probed)],
  ["8 MiB, 1,000 ports a host, as many as fit", file(8 * mib, 1000, "")],
];
for (const [what, text] of files) {
  const ours = await cost(script, "/", text);
  const bytes = await cost(script, "/bytes", text);
  console.log(
    `${what}: ${ours.bytes} bytes, ${ours.hosts} hosts, ${ours.ports} ports; CPU ${ours.cpu.toFixed(0)} ms (bytes alone ${bytes.cpu.toFixed(0)} ms), memory +${ours.growth.toFixed(1)} MiB (bytes alone +${bytes.growth.toFixed(1)} MiB)`,
  );
}
