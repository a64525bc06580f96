import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

interface Process {
  pid: number;
  parent: number;
}

/** Returns all running processes, except zombies. */
async function runningProcesses(): Promise<Process[]> {
  const lines = process.platform === "linux" ? await linesOfProc() : await linesOfPs();
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([state]) => state !== undefined && !state.startsWith("Z"))
    .map(([, pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}

/** Reads /proc, since small images have no `ps`. See proc(5). */
async function linesOfProc(): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
      // The second field, the name, is in parentheses and may contain anything.
      const [state = "Z", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return `${state} ${pid} ${parent}`;
    }),
  );
}

async function linesOfPs(): Promise<string[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "stat=,pid=,ppid="]);
  return stdout.trim().split("\n");
}

/** Returns the ids of a process and all of its descendants. */
export async function processTree(pid: number): Promise<number[]> {
  const all = await runningProcesses();
  const tree = [pid];
  // The array grows while the loop runs.
  for (const known of tree) {
    tree.push(...all.filter(({ parent }) => parent === known).map((child) => child.pid));
  }
  return tree;
}

/** Returns the processes that are still running. */
export async function stillRunning(pids: readonly number[]): Promise<number[]> {
  const all = await runningProcesses();
  return pids.filter((pid) => all.some((process) => process.pid === pid));
}
