import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeFolder } from "../helpers/folders.ts";

/** The number of processes that try to lock the folder at the same time. */
const contenders = 8;

/** The number of rounds in which they try. */
const rounds = 40;

describe("the lock of a data folder", () => {
  let processes: ChildProcess[] = [];
  beforeAll(async () => {
    const main = fileURLToPath(new URL("../helpers/lock-main.ts", import.meta.url));
    processes = Array.from({ length: contenders }, () => fork(main));
    await Promise.all(processes.map((contender) => once(contender, "message")));
  });
  afterAll(() => {
    for (const contender of processes) {
      contender.kill("SIGKILL");
    }
  });

  const send = async (contender: ChildProcess, message: string): Promise<unknown> => {
    contender.send(message);
    return (await once(contender, "message"))[0];
  };

  it("is acquired by exactly one of many processes that find a stale lock", async () => {
    const winners: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await using folder = await makeFolder();
      await mkdir(folder.path);
      await writeFile(join(folder.path, "lock"), "2147483647\n");
      await writeFile(join(folder.path, "lock.db"), "");
      const outcomes = await Promise.all(processes.map((one) => send(one, folder.path)));
      winners.push(outcomes.filter((outcome) => outcome === "taken").length);
      await Promise.all(processes.map((one) => send(one, "give back")));
    }
    expect(winners).toEqual(winners.map(() => 1));
  });

  it("is released when its holder is killed", async () => {
    await using folder = await makeFolder();
    const [holder, next] = processes;
    if (!holder || !next) {
      throw new Error("There are no processes.");
    }
    expect(await send(holder, folder.path)).toBe("taken");
    expect(await send(next, folder.path)).toMatch(`is in use by process ${holder.pid}.`);
    const exited = once(holder, "exit");
    holder.kill("SIGKILL");
    await exited;
    expect(await send(next, folder.path)).toBe("taken");
  });
});
