import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import packageJson from "../../package.json" with { type: "json" };
import { startService } from "./service.ts";

const here = import.meta.dirname;
const root = join(here, "../..");
const execute = promisify(execFile);
/** Maximum duration of a build, an installation or a program, in milliseconds. */
const patienceMs = 300_000;

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService();
  await execute(join(root, ".ci/build-python-client"), { timeout: patienceMs });
});
after(() => service.stop());

const { version } = packageJson;
const packages = [
  `network_inventory_api_client-${version}-py3-none-any.whl`,
  `network_inventory_api_client-${version}.tar.gz`,
];

for (const name of packages) {
  test(`the Python package ${name} installs, lists hosts, patches one and follows the feed`, async () => {
    const built = join(root, "dist/python/dist");
    const folder = await mkdtemp(join(tmpdir(), "python-package-"));
    try {
      if (!(await readdir(built)).includes(name)) {
        throw new Error(`${name} was not built.`);
      }
      await execute("python3", ["-m", "venv", folder], { timeout: patienceMs });
      const python = join(folder, "bin/python");
      const options = ["-m", "pip", "install", "--quiet", join(built, name)];
      await execute(python, options, { timeout: patienceMs });
      await execute(python, [join(here, "languages/python-package.py")], {
        timeout: patienceMs,
        // The package must be found where it is installed.
        cwd: folder,
        env: {
          ...process.env,
          SERVICE: service.address,
          DEMO: join(root, "drizzle/demo.json"),
          VERSION: version,
          PACKAGE: name,
        },
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}
