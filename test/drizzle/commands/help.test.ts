import { expect, it } from "vitest";
import { makeFolder } from "../helpers/folders.ts";
import { npmOutput, type Script } from "../helpers/npm.ts";

const commands = [
  "dev",
  "migrate",
  "sql",
  "organization",
  "key",
  "operator-key",
  "sealing-key",
  "signing-key",
  "reseal",
  "demo-daemon",
  "bench",
  "bench:growth",
  "bench:pairs",
  "bench:poller",
  "bench:deletions",
] as const satisfies readonly Script[];

it.each(commands)("npm run %s -- --help prints the usage and does nothing else", async (script) => {
  const { status, stdout, stderr } = await npmOutput(script, ["--help"], {
    DATA_FOLDER: "/nowhere/at/all",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(new RegExp(`^Usage.*:\n(.*\n)*?.*npm run (--silent )?${script}\\b`));
});

it("npm run demo-daemon names the data folder if no service uses it, and explains how to choose a different folder", async () => {
  const folder = await makeFolder();
  const { status, stderr } = await npmOutput("demo-daemon", ["stop", "attic"], {
    DATA_FOLDER: folder.path,
  });
  await folder.remove();
  expect(status).toBe(2);
  expect(stderr).toContain(`npm run dev does not run with the data folder ${folder.path}.`);
  expect(stderr).toContain("DATA_FOLDER=… npm run demo-daemon");
});
