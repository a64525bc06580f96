import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page, Request } from "playwright-core";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { type ExampleRequest, exampleRequests } from "../drizzle/helpers/examples.ts";
import { type Pages, sizes, startPages, violations, widthOf } from "./pages.ts";

let pages: Pages;
before(async () => {
  pages = await startPages();
});
after(() => pages?.stop());

/** The operations, in an order in which all of their examples can be sent. */
const operations = exampleRequests();

/** Returns the address of each operation's form, by its summary. */
async function formsOf(page: Page): Promise<Map<string, string>> {
  const links = await page.locator(".contents a").all();
  return new Map(
    await Promise.all(
      links.map(
        async (link) => [await link.innerText(), (await link.getAttribute("href")) ?? ""] as const,
      ),
    ),
  );
}

const formOf = (page: Page, { summary }: ExampleRequest) =>
  page.getByRole("form", { name: summary, exact: true });

/** Sends an operation as the reference has prefilled it. */
async function sendPrefilled(page: Page, example: ExampleRequest): Promise<Request> {
  const [request] = await Promise.all([
    page.waitForRequest((sent) => new URL(sent.url()).pathname.startsWith("/api/")),
    formOf(page, example).getByRole("button", { name: "Send" }).click(),
  ]);
  return request;
}

const screenshot = (page: Page, name: string, fullPage = false) =>
  page.screenshot({ path: `${pages.screenshots}/${name}.png`, fullPage });

// Pages spend most of their time waiting, so two run at once.
describe("the pages", { concurrency: 2 }, () => {
  test("the reference lists every operation, those of hosts first", async () => {
    const { page, problems } = await pages.open("/docs");
    const forms = await formsOf(page);
    assert.deepEqual([...forms.keys()].sort(), operations.map(({ summary }) => summary).sort());
    assert.match([...forms.values()][0] ?? "", /^\/docs\/hosts#/);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("the reference sends every operation as prefilled, with the demo key", async () => {
    const { page, problems } = await pages.open("/docs");
    const forms = await formsOf(page);
    // A diff requires an instant or a scan, and the reference prefills neither. The demo key of the
    // reference belongs to an organization.
    const sendable = operations.filter(
      ({ path, isOfOperators }) => path !== "/api/v1/diff" && !isOfOperators,
    );
    for (const operation of sendable) {
      await page.goto(pages.address + forms.get(operation.summary));
      const request = await sendPrefilled(page, operation);
      const response = await request.response();
      assert.deepEqual(
        [request.method(), operation.summary, response?.ok()],
        [operation.method, operation.summary, true],
        `${request.url()}: ${request.postData()} → ${await response?.text()}`,
      );
      assert.equal(new URL(request.url()).pathname, operation.path);
      if (operation.path.startsWith("/api/v1/")) {
        assert.equal(request.headers()["authorization"], `Bearer ${demo.keys.owner}`);
      }
      const shown = formOf(page, operation).locator("output p");
      await shown.getByText(`${response?.status()} ${response?.statusText()}`).waitFor();
    }
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("the reference sends optional parameters that have a value, and shows the records", async () => {
    const { page, problems } = await pages.open("/docs/hosts#get_all_hosts");
    const form = page.getByRole("form", { name: "List hosts" });
    await form.getByText("optional parameters").click();
    await form.getByLabel("cidr").fill("192.168.1.0/24");
    await form.getByLabel("include_children").selectOption("false");
    await form.getByLabel("order_by").selectOption("name");
    const [request] = await Promise.all([
      page.waitForRequest(/\/api\/v1\/hosts/),
      form.getByRole("button", { name: "Send" }).click(),
    ]);
    const { searchParams } = new URL(request.url());
    assert.equal(searchParams.get("cidr"), "192.168.1.0/24");
    assert.equal(searchParams.get("include_children"), "false");
    assert.equal(searchParams.get("order_by"), "name");
    await form.locator("output pre").getByText('"name": "nas"').waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("the reference keeps another key for the tab, and shows failures", async () => {
    const { page } = await pages.open("/docs/hosts");
    await page.getByLabel("API key").fill("inv_u_unknown");
    await page.goto(`${pages.address}/docs/summary`);
    const form = page.getByRole("form").first();
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByText("401 Unauthorized").waitFor();
    assert.match((await form.locator("output pre").textContent()) ?? "", /auth_not_authenticated/);
    await page.close();
  });

  test("the reference replaces the previous response if a request cannot be sent", async () => {
    const { page } = await pages.open("/docs/summary");
    const form = page.getByRole("form").first();
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByText("200 OK").waitFor();
    await page.getByLabel("API key").fill("inv_u_…");
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByText("GET /api/v1/summary: Failed").waitFor();
    assert.equal(await form.locator("output pre").count(), 0);
    await page.close();
  });

  test("the reference shows the start of a long response, and how much that is", async () => {
    const { page } = await pages.open("/docs/summary");
    await page.route("**/api/v1/summary", (route) =>
      route.fulfill({ contentType: "text/plain", body: "a".repeat(200_001) }),
    );
    const form = page.getByRole("form").first();
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByText("the first 200000 characters").waitFor();
    assert.equal((await form.locator("output pre").textContent())?.length, 200_000);
    await page.close();
  });

  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ["light", "dark"] as const) {
      test(`the reference fits and has no violation that axe finds: ${size}, ${colorScheme}`, async () => {
        const { page, problems } = await pages.open("/docs", { viewport, colorScheme });
        await screenshot(page, `reference-${size}-${colorScheme}`);
        assert.equal(await widthOf(page), viewport.width);
        assert.deepEqual(await violations(page), []);
        await page.goto(`${pages.address}/docs/hosts`);
        // Also what is shown on request.
        await page.evaluate(
          "for (const each of document.querySelectorAll('details')) each.open = true",
        );
        const form = page.getByRole("form", { name: "List hosts" });
        await form.getByRole("button", { name: "Send" }).click();
        await form.locator("output pre").waitFor();
        await screenshot(page, `reference-hosts-${size}-${colorScheme}`);
        assert.equal(await widthOf(page), viewport.width);
        assert.deepEqual(await violations(page), []);
        assert.deepEqual(problems, []);
        await page.close();
      });
    }
  }

  test("a link to a schema opens it", async () => {
    const { page, problems } = await pages.open("/docs/hosts");
    const schema = page.locator("#schema-Host");
    assert.equal(await schema.isVisible(), false);
    await page.getByRole("link", { name: "HostResponse" }).first().click();
    await page
      .locator("#schema-HostResponse")
      .getByRole("link", { name: "Host", exact: true })
      .click();
    await schema.getByText("The start of this version's validity.").waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("without JavaScript, the reference can be read", async () => {
    const { page, problems } = await pages.open("/docs/hosts", { javaScriptEnabled: false });
    await page.getByRole("heading", { name: "List hosts" }).waitFor();
    // Locators by text skip this element.
    await page.locator("noscript p").waitFor();
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
