import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { BrowserContextOptions, Page, Request } from "playwright-core";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { type ExampleRequest, exampleRequests } from "../drizzle/helpers/examples.ts";
import { type Pages, sizes, startPages, widthOf } from "./pages.ts";

let pages: Pages;
before(async () => {
  pages = await startPages();
});
after(() => pages?.stop());

async function openReference(options: BrowserContextOptions = {}) {
  const opened = await pages.open("/docs", options);
  await opened.page.getByRole("heading", { name: "Network Inventory API", level: 1 }).waitFor();
  return opened;
}

/** The operations, in an order in which all of their examples can be sent. */
const operations = exampleRequests();

/**
 * The reference sends only one in this many operations, since each one takes seconds on a 4 MB
 * page. With BROWSER_OPERATIONS=all, it sends every operation. `test/drizzle/dev.test.ts` sends the
 * same requests without a browser.
 */
const sampling = process.env["BROWSER_OPERATIONS"] === "all" ? 1 : 5;

/**
 * The number of operations sent per page: the reference gets slower with every section that it
 * renders.
 */
const operationsOfPage = 5;

const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Sends an operation as the reference has prefilled it. */
async function sendPrefilled(page: Page, example: ExampleRequest): Promise<Request> {
  const { method, template, summary } = example;
  await sidebar(page).getByText(summary, { exact: true }).click();
  const title = new RegExp(`Test Request.*${literal(`${method.toLowerCase()} ${template}`)}\\)$`);
  await page.getByRole("button", { name: title }).click();
  const [request] = await Promise.all([
    page.waitForRequest((sent) => new URL(sent.url()).pathname.startsWith("/api/")),
    page.getByRole("button", { name: new RegExp(`^Send ${method.toLowerCase()} request`) }).click(),
  ]);
  return request;
}

const sidebar = (page: Page) => page.getByRole("complementary");

const screenshot = (page: Page, name: string, fullPage = false) =>
  page.screenshot({ path: `${pages.screenshots}/${name}.png`, fullPage });

// Pages spend most of their time waiting, so two run at once.
describe("the pages", { concurrency: 2 }, () => {
  test("the reference lists every operation, and scrolling through it does not cause errors", async () => {
    const { page, problems } = await openReference();
    for (const { summary } of operations) {
      await sidebar(page).getByText(summary, { exact: true }).waitFor();
    }
    await screenshot(page, "desktop");
    // Parts of the page are rendered only when they come into view, which makes the page longer.
    const isAtEnd = "scrollY + innerHeight >= document.documentElement.scrollHeight - 2";
    for (let step = 0; step < 400 && !(await page.evaluate(isAtEnd)); step++) {
      await page.mouse.move(720, 450);
      await page.mouse.wheel(0, sizes.desktop.height);
      await page.waitForTimeout(50);
    }
    assert.equal(await page.evaluate(isAtEnd), true);
    await screenshot(page, "desktop-end");
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("the reference sends operations as prefilled, with the demo key", async () => {
    // A diff requires an instant or a scan, and the reference prefills neither.
    const sent = operations
      .filter(({ path }) => path !== "/api/v1/diff")
      .filter((_, index) => index % sampling === 0)
      // A network can be deleted only after its daemon, whose deletion the sample may omit.
      .filter(({ operationId }) => sampling === 1 || operationId !== "delete_network");
    for (let first = 0; first < sent.length; first += operationsOfPage) {
      const { page, problems } = await openReference();
      for (const operation of sent.slice(first, first + operationsOfPage)) {
        const request = await sendPrefilled(page, operation);
        const response = await request.response();
        assert.deepEqual(
          [request.method(), operation.summary, response?.ok()],
          [operation.method, operation.summary, true],
          `${request.url()}: ${request.postData()} → ${await response?.text()}`,
        );
        if (operation.path.startsWith("/api/v1/")) {
          assert.equal(request.headers()["authorization"], `Bearer ${demo.keys.owner}`);
        }
        await page.getByText(`${response?.status()} ${response?.statusText()}`).first().waitFor();
        await page.getByRole("button", { name: "Close Client" }).click();
      }
      assert.deepEqual(problems, []);
      await page.close();
    }
  });

  test("the reference fits on a phone screen", async () => {
    const { page, problems } = await openReference({ viewport: sizes.phone });
    await screenshot(page, "phone");
    assert.equal(await widthOf(page), sizes.phone.width);
    await page.goto(`${pages.address}/docs#tag/credentials/GET/api/v1/credentials`);
    await page.getByRole("heading", { name: "List credentials" }).first().scrollIntoViewIfNeeded();
    await page.waitForTimeout(1000);
    await screenshot(page, "phone-operation");
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("without JavaScript, the reference links to the document and the start page", async () => {
    const { page, problems } = await pages.open("/docs", { javaScriptEnabled: false });
    await page.getByRole("link", { name: "OpenAPI document" }).waitFor();
    await page.getByRole("link", { name: "start page" }).waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  });

  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ["light", "dark"] as const) {
      test(`the start page does not need JavaScript and fits: ${size}, ${colorScheme}`, async () => {
        const options = { viewport, colorScheme, javaScriptEnabled: false };
        const { page, problems } = await pages.open("/", options);
        await screenshot(page, `start-${size}-${colorScheme}`, true);
        assert.equal(page.url(), `${pages.address}/`);
        assert.equal(await widthOf(page), viewport.width);
        const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
        assert.equal(background, colorScheme === "dark" ? "rgb(13, 21, 18)" : "rgb(243, 247, 245)");
        for (const text of await page.locator("h1, h2, dt, dd, p, pre, li, svg text").all()) {
          const box = await text.boundingBox();
          const what = await text.textContent();
          assert.ok(box && box.width > 0 && box.height > 0, `${what} is invisible`);
          assert.ok(box.x >= 0 && box.x + box.width <= viewport.width, `${what} is cut off`);
        }
        assert.deepEqual(problems, []);
        await page.close();
      });
    }
  }
});
