import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { startService } from "./service.ts";

/** Debian's Chromium; CHROMIUM overrides the path. */
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Maximum duration of any action on a page, in milliseconds. */
const patienceMs = 120_000;

export const sizes = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
};

/** The width of a page's content, which is that of the screen if the page does not scroll. */
export const widthOf = (page: Page) => page.evaluate("document.documentElement.scrollWidth");

/** Returns the violations of WCAG 2.2 A and AA that axe finds. */
export async function violations(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"];
  return page.evaluate(`axe.run({ runOnly: ${JSON.stringify(tags)} }).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html, failureSummary }) =>
      html + " " + failureSummary)]))`);
}

export type Pages = Awaited<ReturnType<typeof startPages>>;

/** Starts a browser that contacts no other hosts than its pages do. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
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

/** Starts the service with the demo data, and a browser that opens its pages. */
export async function startPages() {
  const service = await startService();
  const browser = await startBrowser();
  const { address } = service;

  /** Opens a page, and collects every error and warning from then on. */
  async function open(
    path: string,
    {
      prepare,
      ...options
    }: BrowserContextOptions & { prepare?: (page: Page) => Promise<unknown> } = {},
  ) {
    const page = await browser.newPage({ viewport: sizes.desktop, ...options });
    page.setDefaultTimeout(patienceMs);
    const problems: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) {
        problems.push(`console: ${message.text()}`);
      }
    });
    page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
    page.on("requestfailed", (request) => {
      // A page aborts requests that it no longer needs.
      if (request.failure()?.errorText !== "net::ERR_ABORTED") {
        problems.push(`failed: ${request.url()}`);
      }
    });
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== address) {
        problems.push(`third party: ${request.url()}`);
      }
      if (request.url().includes("inv_u_")) {
        problems.push(`a key in the address: ${request.url()}`);
      }
    });
    page.on("response", (response) => {
      if (response.status() >= 400) {
        problems.push(`${response.status()}: ${response.url()}`);
      }
    });
    await prepare?.(page);
    await page.goto(address + path);
    return { page, problems };
  }

  return {
    address,
    open,
    screenshots: `${import.meta.dirname}/screenshots`,
    async stop() {
      await browser.close();
      await service.stop();
    },
  };
}
