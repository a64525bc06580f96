import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Request } from "playwright-core";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { startBrowser } from "./pages.ts";
import { freePort, start, startService } from "./service.ts";

const guide = await readFile(new URL("../../src/docs/frontend.md", import.meta.url), "utf8");

/** The code in a section of the guide, in a language. */
function codeIn(heading: string, language: string): string {
  const [, section = ""] = guide.split(`\n## ${heading}\n`);
  const code = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(section)?.[1];
  assert.ok(code, `The guide has no ${language} in ${heading}.`);
  return code;
}

/** The network of the examples. */
const network = demo.networks.find(({ name }) => name === "Home")?.id ?? "";

let browser: Browser;
let service: Awaited<ReturnType<typeof startService>>;
let port: number;

before(async () => {
  port = await freePort();
  service = await startService({ CORS_ORIGINS: `http://localhost:${port}` });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

/** Runs the backend of a section's example, which serves the page. */
async function startExample(heading: string, html = codeIn(heading, "html")) {
  const folder = await mkdtemp(join(tmpdir(), "frontend-"));
  await writeFile(join(folder, "backend.mjs"), codeIn(heading, "js"));
  await writeFile(join(folder, "page.html"), html);
  const address = `http://localhost:${port}`;
  const stop = await start(process.execPath, ["backend.mjs"], {
    url: address,
    folder,
    env: {
      INVENTORY_URL: service.address,
      INVENTORY_KEY: demo.keys.admin,
      NETWORK_ID: network,
      PORT: String(port),
    },
  });
  const page = await browser.newPage();
  return {
    address,
    page,
    items: async () => {
      await page.locator("li").first().waitFor();
      return page.locator("li").allTextContents();
    },
    close: async () => {
      await page.close();
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Opens the page of a section's example, whose first call of the API may fail. */
async function openExample(heading: string, isFirstRejected = false) {
  const { address, page, items, close } = await startExample(heading);
  const requests: Request[] = [];
  page.on("request", (request) => requests.push(request));
  if (isFirstRejected) {
    await page.route(
      `${service.address}/api/**`,
      (route) =>
        route.fulfill({
          status: 401,
          json: { error: "This token expired." },
          headers: { "Access-Control-Allow-Origin": address },
        }),
      { times: 1 },
    );
  }
  await page.goto(address);
  const hosts = await items();
  const sent = await Promise.all(
    requests.map(async (request) => JSON.stringify([request.url(), await request.allHeaders()])),
  );
  await close();
  return { hosts, requests, isKeySent: sent.some((text) => text.includes("inv_u_")) };
}

/** The names of the hosts in the network of the examples. */
async function hostNames(): Promise<string[]> {
  const query = `network_id=${network}&order_by=name&limit=100`;
  const response = await fetch(`${service.address}/api/v1/hosts?${query}`, {
    headers: { Authorization: `Bearer ${demo.keys.viewer}` },
  });
  const { data } = (await response.json()) as { data: { name: string }[] };
  return data.map(({ name }) => name);
}

const callsOf = (requests: readonly Request[]) =>
  requests.filter((request) => request.url().startsWith(service.address));

describe("in the guide for frontends", () => {
  test("the page with a backend in between shows the hosts, and never calls the API", async () => {
    const { hosts, requests, isKeySent } = await openExample("A backend in between");
    assert.deepEqual(hosts, await hostNames());
    assert.deepEqual(callsOf(requests), []);
    assert.equal(isKeySent, false);
  });

  test("the page with a token calls the API itself, and gets a new token if the token has ended", async () => {
    for (const isFirstRejected of [false, true]) {
      const { hosts, requests, isKeySent } = await openExample(
        "A token for each user",
        isFirstRejected,
      );
      assert.deepEqual(hosts, await hostNames());
      assert.equal(callsOf(requests).length, isFirstRejected ? 2 : 1);
      assert.equal(isKeySent, false);
    }
  });

  test("the page that waits for changes shows a renamed host without reading the list in between", async () => {
    const heading = "A token for each user";
    const html = codeIn(heading, "html");
    const last = / {2}const \{ data: hosts \} = .*(?=<\/script>)/s;
    assert.match(html, last);
    const live = html.replace(last, () => codeIn("Changes as they happen", "js"));
    const { address, page, items, close } = await startExample(heading, live);
    const lists: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "GET" && request.url().includes("/hosts?")) {
        lists.push(request.url());
      }
    });
    await page.goto(address);
    assert.deepEqual(await items(), await hostNames());
    assert.equal(lists.length, 1);
    const response = await fetch(`${service.address}/api/v1/hosts?network_id=${network}&limit=1`, {
      headers: { Authorization: `Bearer ${demo.keys.viewer}` },
    });
    const { data } = (await response.json()) as { data: { id: string; name: string }[] };
    const [host] = data;
    assert.ok(host);
    const rename = (name: string) =>
      fetch(`${service.address}/api/v1/hosts/${host.id}`, {
        method: "PATCH",
        headers: {
          Authorization: `Bearer ${demo.keys.admin}`,
          "Content-Type": "application/json",
        },
        body: JSON.stringify({ name }),
      });
    await rename("renamed meanwhile");
    await page.getByText("renamed meanwhile").waitFor();
    assert.equal(lists.length, 2);
    await rename(host.name);
    await page.getByText("renamed meanwhile").waitFor({ state: "detached" });
    assert.deepEqual(await items(), await hostNames());
    await close();
  });
});
