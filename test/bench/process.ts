import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

/**
 * The CPU time that a process has used so far, in milliseconds: that of its threads, to the nanosecond, where
 * `/proc/<pid>/stat` counts ticks of 10 ms. A thread that has ended no longer counts.
 */
export function cpuMs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += threadNs(`/proc/${pid}/task/${thread}`);
  }
  return nanoseconds / 1e6;
}

function threadNs(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, "latin1").split(" ")[0]);
  } catch (error) {
    if (existsSync(folder)) {
      throw error;
    }
    return 0;
  }
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
