import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DevService, freePort, startDevService } from "./helpers/dev-service.ts";
import { makeFolder, type TestFolder } from "./helpers/folders.ts";
import { npmRun, root } from "./helpers/npm.ts";
import { paste } from "./helpers/pasted.ts";

let folder: TestFolder;
let service: DevService;

beforeAll(async () => {
  folder = await makeFolder();
  service = await startDevService(folder.path, await freePort());
});
afterAll(async () => {
  service.interrupt();
  await service.ended;
  await folder.remove();
});

describe("npm run dev", () => {
  it("runs the README's commands: they scan the demo network, and the feed, the timeline and the webhook all show that a binding ended", async () => {
    const readme = await readFile(join(root, "README.md"), "utf8");
    const [, rest = ""] = readme.split("## Scan a network");
    const [section = ""] = rest.split("\n## ");
    const [first = "", second = ""] = [...section.matchAll(/```sh\n([^`]*)```/g)].map(
      ([, block]) => block?.replaceAll("http://localhost:8787", service.address) ?? "",
    );
    const [scan = "", watch = "", hosts = ""] = first.split("\n");
    const [stop = "", scanAgain = "", changes = "", timeline = ""] = second.split("\n");
    expect(scanAgain).toBe(scan);
    const [, option = "", name = ""] = /npm run demo-daemon -- (\S+) (\S+)$/.exec(stop) ?? [];
    expect(stop).toMatch(/^BEFORE=\$\(date -u \+%Y-%m-%dT%H:%M:%SZ\); /);

    const data = async (line: string) => Object(await (await paste(line)).json()).data;
    /** Scans once. Returns the number of bindings for each service. */
    const bindingsOfScan = async () => {
      const { id } = await data(scan);
      await expect
        .poll(() => data(watch), { timeout: 60_000, interval: 500 })
        .toMatchObject([
          { id, phase: "Complete", progress: 100, hosts_discovered: 2, error: null },
        ]);
      const scanned: { services: { name: string; bindings: unknown[] }[] }[] = await data(hosts);
      expect(scanned).toHaveLength(2);
      return Object.fromEntries(
        scanned.flatMap(({ services }) => services.map((one) => [one.name, one.bindings.length])),
      );
    };
    const variables = { DATA_FOLDER: folder.path };
    const again = /`npm run demo-daemon -- (\S+) (\S+)`/.exec(section)?.slice(1) ?? [];
    expect(await data(hosts)).toEqual([]);
    const running = { MediaMTX: 1, Telegraf: 1, WeeWX: 1 };
    expect(await bindingsOfScan()).toEqual(running);
    const before = `${new Date().toISOString().slice(0, 19)}Z`;
    expect(await npmRun("demo-daemon", [option, name], variables)).toMatchObject({ status: 0 });
    expect(await bindingsOfScan()).toEqual({ ...running, WeeWX: 0 });
    const ended = {
      change: "deleted",
      entity: "Binding",
      label: expect.stringMatching(/^WeeWX /),
      actor: { type: "daemon", name: "attic" },
    };
    const feed: { host_id: string }[] = await data(changes.replace("$BEFORE", before));
    expect(feed).toMatchObject([ended]);
    const ofHost = await data(timeline.replace("HOST", feed[0]?.host_id ?? ""));
    expect(ofHost[0]).toMatchObject(ended);
    await expect
      .poll(() => service.output(), { timeout: 20_000, interval: 500 })
      .toMatch(/^bell: \S+ Binding "WeeWX [^"]*" deleted$/m);
    expect(await npmRun("demo-daemon", again, variables)).toMatchObject({ status: 0 });
    expect(await bindingsOfScan()).toEqual(running);
  }, 240_000);
});
