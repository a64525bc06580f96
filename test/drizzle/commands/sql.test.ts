import { expect, it } from "vitest";
import { npmOutput } from "../helpers/npm.ts";

it("npm run sql prints the handwritten and generated statements applied for a table", async () => {
  const { status, stdout, stderr } = await npmOutput("sql", ["ports"], {});
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("-- rules/ports.sql");
  expect(stdout).toContain("create policy tenant on ports");
  expect(stdout).toContain("create trigger history_3_version before update on ports");
  expect(stdout).toContain("create or replace function app.keep_version_of_ports()");
});

it("npm run sql prints a single function, handwritten or generated", async () => {
  const [written, generated] = await Promise.all(
    ["enter", "missing"].map((name) => npmOutput("sql", [name], {})),
  );
  expect(written?.stdout).toMatch(/^-- functions\/gate\/enter\.sql\n/);
  expect(generated?.stdout).toMatch(/^-- generated\/missing\.sql\n/);
});

it("npm run sql rejects a name that is neither a table nor a function", async () => {
  const { status, stdout, stderr } = await npmOutput("sql", ["nothing"], {});
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^There is no table or function nothing\.\n/);
});
