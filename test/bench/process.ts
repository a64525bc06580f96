import { readFileSync, writeFileSync } from "node:fs";

/** Ticks a second of `/proc/<pid>/stat`: the kernel's USER_HZ, the same on every Linux (proc(5)). */
const ticksPerSecond = 100;

/** The CPU time that a process has used so far, its threads' included, in milliseconds. */
export function cpuMs(pid: number): number {
  // The second field, the name, is in parentheses and may hold anything.
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "latin1").split(/\) (?=[A-Z] )/);
  const [user, system] = fields.split(" ").slice(11, 13).map(Number);
  return (((user ?? 0) + (system ?? 0)) * 1000) / ticksPerSecond;
}

/** A line of `/proc/<pid>/status`, in MiB. */
function statusMib(pid: number, name: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
}

/** The memory that a process holds now, in MiB. */
export const memoryMib = (pid: number) => statusMib(pid, "VmRSS");

/** The most memory that a process has held, in MiB. */
export const peakMemoryMib = (pid: number) => statusMib(pid, "VmHWM");

/** Forgets how much memory the process held at most (proc(5), `clear_refs`). */
export const forgetPeak = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, "5");
