import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { startService } from "./service.ts";

/** Debian's Chromium; CHROMIUM names another one. */
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const screenshots = `${import.meta.dirname}/screenshots`;

let service: Awaited<ReturnType<typeof startService>>;
let browser: Browser;
before(async () => {
  service = await startService();
  browser = await chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

/** Opens the reference. Whatever goes wrong in the page from then on is collected. */
async function openReference(width: number, height: number) {
  const page = await browser.newPage({ viewport: { width, height } });
  const problems: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      problems.push(`console: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("requestfailed", (request) => problems.push(`failed: ${request.url()}`));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== service.address) {
      problems.push(`third party: ${request.url()}`);
    }
  });
  page.on("response", (response) => {
    if (response.status() >= 400) {
      problems.push(`${response.status()}: ${response.url()}`);
    }
  });
  await page.goto(service.address);
  assert.equal(page.url(), `${service.address}/docs`);
  await page.getByRole("heading", { name: "Network Inventory API", level: 1 }).waitFor();
  return { page, problems };
}

/** What the operations are called, by the document that is served. */
async function summaries(): Promise<string[]> {
  const answer = await fetch(`${service.address}/openapi.json`);
  const { paths } = (await answer.json()) as {
    paths: Record<string, Record<string, { summary: string }>>;
  };
  return Object.values(paths).flatMap((operations) =>
    Object.values(operations).map(({ summary }) => summary),
  );
}

const sidebar = (page: Page) => page.getByRole("complementary");

const screenshot = (page: Page, name: string) =>
  page.screenshot({ path: `${screenshots}/${name}.png` });

test("the reference shows every operation, and sends requests with the demo key", async () => {
  const { page, problems } = await openReference(1440, 900);
  const expected = await summaries();
  assert.ok(expected.length >= 5);
  for (const summary of expected) {
    await sidebar(page).getByText(summary, { exact: true }).waitFor();
  }
  await screenshot(page, "desktop");

  await sidebar(page).getByText("List credentials", { exact: true }).click();
  await page.waitForTimeout(1000);
  await screenshot(page, "desktop-operation");
  await page.getByRole("button", { name: /Test Request.*get \/api\/v1\/credentials\)$/ }).click();
  const [request] = await Promise.all([
    page.waitForRequest((sent) => sent.url().includes("/api/v1/credentials")),
    page.getByRole("button", { name: /^Send get request/ }).click(),
  ]);
  const response = await request.response();
  assert.equal(request.headers()["authorization"], `Bearer ${demo.keys.owner}`);
  assert.equal(response?.status(), 200);
  await page.getByText("200 OK").first().waitFor();
  // Until what moves has come to rest.
  await page.waitForTimeout(1000);
  await screenshot(page, "desktop-answer");
  assert.deepEqual(problems, []);
});

test("the reference fits a phone", async () => {
  const { page, problems } = await openReference(390, 844);
  await screenshot(page, "phone");
  const width = await page.evaluate("document.documentElement.scrollWidth");
  assert.equal(width, 390);
  await page.goto(`${service.address}/docs#tag/credentials/GET/api/v1/credentials`);
  await page.getByRole("heading", { name: "List credentials" }).first().scrollIntoViewIfNeeded();
  await page.waitForTimeout(1000);
  await screenshot(page, "phone-operation");
  assert.deepEqual(problems, []);
});
