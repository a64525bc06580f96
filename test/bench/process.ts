import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

/**
 * The CPU time that a process has used so far, in milliseconds. It is the sum of its threads'
 * times, which are exact to the nanosecond, while `/proc/<pid>/stat` counts ticks of 10 ms. Threads
 * that have ended are not included.
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

/** A value from `/proc/<pid>/status`, in MiB. */
function statusMib(pid: number, name: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
}

/** The current memory of a process, in MiB. */
export const memoryMib = (pid: number) => statusMib(pid, "VmRSS");

/** The peak memory of a process, in MiB. */
export const peakMemoryMib = (pid: number) => statusMib(pid, "VmHWM");

/** Resets the peak memory of a process (proc(5), `clear_refs`). */
export const forgetPeak = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, "5");
