import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import type { BrowserContextOptions, Page, Route } from "playwright-core";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { type Pages, sizes, startPages, violations, widthOf } from "./pages.ts";

let pages: Pages;
before(async () => {
  pages = await startPages();
});
after(() => pages?.stop());

const past = "at=2025-05-10T00:00:00Z";
const nas = "host=e1e74882-b978-405e-89f9-922e1a30e63b";
const boathouse = "network=0bff26ce-1c14-493f-8128-2e2fc172fe18";
const lab = "a902d4d6-5310-41e1-8ca9-46709b4e7ebf";
/** Two instants at which the demo's hosts have no neighbors. */
const beforeNeighbors = "at=2022-09-03T09:20:00Z&with=2022-09-03T09:15:00Z";
const compared = `view=compare&${past}&with=2025-09-14T21:47:05.310Z`;

/** Maximum duration of any action, in milliseconds. */
const patienceMs = 30_000;

async function explore(state = "", options?: Parameters<Pages["open"]>[1]) {
  const opened = await pages.open(`/explore${state && `?${state}`}`, options);
  opened.page.setDefaultTimeout(patienceMs);
  return opened;
}

/** Opens the page with a key that is kept for the tab, instead of the demo key. */
const withKey = (key: string) => (page: Page) =>
  page.addInitScript(`sessionStorage.setItem("explore-key", "${key}")`);

const signedOut = (page: Page) =>
  page.addInitScript(`if (!sessionStorage.getItem("explore-key")) {
    sessionStorage.setItem("explore-signed-out", "");
  }`);

const screenshot = (page: Page, name: string) =>
  page.screenshot({ path: `${pages.screenshots}/explore-${name}.png` });

const row = (page: Page, name: string) =>
  page
    .getByRole("region", { name: "Hosts" })
    .getByRole("link", { name: new RegExp(`^${name}\\b`) });
const panel = (page: Page) => page.getByRole("complementary");
const bar = (page: Page) => page.getByRole("region", { name: "Time" });
const map = (page: Page) => page.getByRole("region", { name: "Map" });
const onMap = (page: Page, name: string) =>
  map(page).getByRole("button", { name: new RegExp(`^${name}, `) });
const status = (page: Page) => page.getByRole("status");

/** The positions of the hosts on the map, by name. */
const positionsOf = async (page: Page) =>
  Object.fromEntries(
    await map(page)
      .locator("rect.host")
      .evaluateAll((cards) =>
        cards.map((card) => [
          card.getAttribute("aria-label")?.split(",")[0] ?? "",
          `${card.getAttribute("x")} ${card.getAttribute("y")}`,
        ]),
      ),
  );

/** Drags the slider with the mouse, then moves it to the exact day with the keyboard. */
async function dragTo(page: Page, day: string) {
  const slider = page.getByRole("slider", { name: "Instant" });
  await slider.waitFor();
  const box = await slider.boundingBox();
  assert.ok(box);
  const [start, last] = await Promise.all(
    ["min", "max"].map((name) => slider.getAttribute(name).then(Number)),
  );
  const lastDay = Math.ceil(Date.now() / 86_400_000);
  const position = (last ?? 0) - (lastDay - Date.parse(day) / 86_400_000);
  const fraction = position / ((last ?? 0) - (start ?? 0));
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width - 8, y);
  await page.mouse.down();
  await page.mouse.move(box.x + 8 + fraction * (box.width - 16), y, { steps: 12 });
  await page.mouse.up();
  for (let step = 0; step < 9; step++) {
    const [date] = ((await slider.getAttribute("aria-valuetext")) ?? "").split(",");
    const at = Date.parse(`${date} UTC`);
    if (at === Date.parse(day)) {
      await page.waitForURL(new RegExp(`at=${day}`));
      return;
    }
    await slider.press(at < Date.parse(day) ? "ArrowRight" : "ArrowLeft");
  }
  assert.fail(`the slider does not reach ${day}: ${page.url()}`);
}

/** Matches the URL of a request for a map without `detail=subnets`. */
const isWholeMap = /topology(?!.*detail=subnets)/;

/** Every screen and state: its URL, and how to reach it. */
const screens: {
  name: string;
  state?: string;
  prepare?: (page: Page) => Promise<unknown>;
  reach: (page: Page) => Promise<unknown>;
  /** True if the state itself causes errors in the console. */
  isFailure?: boolean;
}[] = [
  { name: "hosts", reach: (page) => row(page, "switch").waitFor() },
  {
    name: "host-past",
    state: `${past}&${nas}`,
    reach: async (page) => {
      await panel(page).getByText("9443/Tcp").first().waitFor();
      await row(page, "media").getByText("differs").waitFor();
    },
  },
  { name: "host", state: nas, reach: (page) => panel(page).getByText("OpenSSH 9.6p1").waitFor() },
  {
    name: "edit",
    state: nas,
    reach: (page) => panel(page).getByRole("button", { name: "Rename or describe" }).click(),
  },
  {
    name: "map",
    state: `view=map&${past}`,
    reach: (page) => onMap(page, "nas").and(page.getByLabel("differs from now")).waitFor(),
  },
  {
    name: "map-host",
    state: `view=map&${past}&${nas}`,
    reach: (page) => panel(page).getByText("OpenSSH 9.6p1").waitFor(),
  },
  {
    name: "map-vacant",
    state: "view=map&at=2024-01-01T00:00:00Z",
    reach: (page) => onMap(page, "camera").waitFor(),
  },
  {
    name: "map-services",
    state: `view=map&layer=services&${past}`,
    reach: (page) => onMap(page, "nas").and(page.getByLabel("differs from now")).waitFor(),
  },
  {
    name: "map-around",
    state: `view=map&${past}&${nas}&depth=2`,
    reach: (page) => panel(page).getByText("OpenSSH 9.6p1").waitFor(),
  },
  {
    name: "map-search",
    state: "view=map&q=openssh",
    reach: async (page) => {
      await onMap(page, "nas").waitFor();
      await bar(page).getByText("10 hosts match").waitFor();
    },
  },
  {
    name: "map-table",
    state: `view=table&${past}`,
    reach: (page) => map(page).getByRole("row", { name: "nas" }).getByText("differs").waitFor(),
  },
  {
    name: "map-layer-2",
    state: `view=map&layer=l2&${past}`,
    reach: (page) => onMap(page, "nas").and(page.getByLabel("differs from now")).waitFor(),
  },
  {
    name: "map-layer-2-host",
    state: `view=map&layer=l2&${nas}`,
    reach: (page) => panel(page).getByText("VLAN 1, tagged 20, 30").waitFor(),
  },
  {
    name: "map-layer-2-table",
    state: `view=table&layer=l2&${past}`,
    reach: (page) => map(page).getByRole("row", { name: "ether24" }).waitFor(),
  },
  {
    name: "map-layer-2-empty",
    state: `view=map&layer=l2&${beforeNeighbors}`,
    reach: (page) => page.getByRole("heading", { name: "reported neighbors" }).waitFor(),
  },
  {
    name: "map-export",
    state: "view=map",
    reach: async (page) => {
      await onMap(page, "nas").waitFor();
      await map(page).getByRole("button", { name: "Export" }).click();
    },
  },
  {
    name: "map-empty",
    state: `view=map&${boathouse}`,
    reach: (page) => page.getByRole("heading", { name: "No host and no subnet" }).waitFor(),
  },
  {
    name: "map-too-large",
    state: "view=map",
    isFailure: true,
    prepare: (page) => page.route(isWholeMap, fail(409, "topology_too_large")),
    reach: (page) => map(page).getByRole("button", { name: "Ground floor, " }).waitFor(),
  },
  {
    name: "changes",
    state: "view=changes&at=2025-09-14T00:00:00Z",
    reach: (page) => page.getByRole("link", { name: "guest-laptop" }).waitFor(),
  },
  {
    name: "compare",
    state: compared,
    reach: (page) => page.getByText("Home Assistant OS 16").waitFor(),
  },
  {
    name: "between",
    state: compared.replace("view=compare", "view=changes"),
    reach: (page) => page.getByText("Home Assistant OS 16").waitFor(),
  },
  {
    name: "instant",
    state: past,
    reach: async (page) => {
      await row(page, "media").getByText("differs").waitFor();
      await bar(page).getByRole("button", { name: "10 May 2025" }).click();
    },
  },
  {
    name: "sign-in",
    prepare: signedOut,
    reach: (page) => page.getByRole("dialog").getByLabel("API key").waitFor(),
  },
  {
    name: "beginning",
    state: boathouse,
    reach: (page) => page.getByRole("link", { name: "12 hosts in all networks" }).waitFor(),
  },
  {
    name: "nothing-found",
    state: `q=forgejo&${past}&network=277af32d-eb94-4677-88b1-472a3ec07051`,
    reach: (page) => page.getByRole("link", { name: "1 host in all networks" }).waitFor(),
  },
  {
    name: "unavailable",
    isFailure: true,
    reach: async (page) => {
      await row(page, "switch").waitFor();
      await page.route("**/api/v1/hosts?*", fail(503, "service_unavailable"));
      await page.getByRole("searchbox").fill("nas");
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "expired",
    state: past,
    isFailure: true,
    prepare: (page) =>
      page.route(
        /api.*[?&]at=/,
        fail(410, "history_expired", { history_from: "2025-08-01T00:00:00Z" }),
      ),
    reach: (page) => page.getByRole("heading", { name: "History is kept from" }).waitFor(),
  },
];

/** Responds to a request with an error, in the API's envelope. */
const fail =
  (status: number, code: string, params: object = {}) =>
  (route: Route) =>
    route.fulfill({
      status,
      headers: status === 429 || status === 503 ? { "Retry-After": "2" } : {},
      json: { success: false, code, error: `The test answers ${code}.`, params, meta: {} },
    });

describe("the page", { concurrency: 2 }, () => {
  test("finds hosts, opens one and drags to a day in the past, and shows the same page after a reload", async () => {
    const { page, problems } = await explore();
    await row(page, "switch").waitFor();
    await page.getByRole("searchbox").fill("dsm 7");
    await row(page, "switch").waitFor({ state: "detached" });
    await row(page, "nas").click();
    assert.equal(new URL(page.url()).search, `?q=dsm+7&${nas}`);
    await panel(page).getByRole("heading", { name: "nas" }).waitFor();
    await page.getByRole("searchbox").fill("");
    await dragTo(page, "2025-05-10");
    await page.waitForURL(`**/explore?${past}&${nas}`);
    for (const host of ["nas", "ci", "media", "monitoring", "router", "home-assistant"]) {
      await row(page, host).getByText("differs").waitFor();
    }
    assert.equal(await row(page, "printer").getByText("differs").count(), 0);
    await panel(page).getByText("9000/Tcp").first().waitFor();
    await status(page).getByText("10 May 2025, 00:00 UTC: 12 hosts, 6 differ from now").waitFor();
    await panel(page).getByText("Ground floor").waitFor();
    await panel(page).getByText("15 Oct 2022, 14:03").waitFor();
    const shown = await panel(page).innerText();

    await page.reload();
    await row(page, "nas").getByText("differs").waitFor();
    await panel(page).getByText("9000/Tcp").first().waitFor();
    await panel(page).getByText("Ground floor").waitFor();
    await panel(page).getByText("15 Oct 2022, 14:03").waitFor();
    assert.equal(await panel(page).innerText(), shown);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("lists records of all kinds for words that no host matches, and opens their hosts", async () => {
    const { page, problems } = await explore();
    await row(page, "switch").waitFor();
    await page.getByRole("searchbox").fill("forgejo 443");
    await page.getByText("No host matches “forgejo 443”.").waitFor();
    await page.getByRole("link", { name: "Forgejo" }).first().click();
    await panel(page).getByRole("heading", { name: "git" }).waitFor();
    assert.match(new URL(page.url()).search, /^\?q=forgejo\+443&host=/);
    await page.getByRole("searchbox").fill("qqxxzz");
    await page.getByText("No host matches “qqxxzz”.").waitFor();
    await page
      .getByRole("heading", { name: "Records with these words" })
      .waitFor({ state: "detached" });
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("goes from change to change, and back through the browser's history", async () => {
    const { page, problems } = await explore(past);
    await row(page, "nas").waitFor();
    await bar(page).getByRole("button", { name: "Next change" }).click();
    await bar(page).getByRole("button", { name: "17 May 2025" }).waitFor();
    await bar(page).getByRole("button", { name: "Previous change" }).click();
    await bar(page).getByRole("button", { name: "3 May 2025" }).waitFor();
    await bar(page).getByRole("button", { name: "Now", exact: true }).click();
    await row(page, "nas").getByText("differs").waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).search, "");
    await page.goBack();
    await bar(page).getByRole("button", { name: "3 May 2025" }).waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("compares two instants by host, and shows every change in between", async () => {
    const { page, problems } = await explore(past);
    await bar(page).getByRole("button", { name: "Compare with…" }).click();
    await page.getByLabel("Date").fill("2025-09-14");
    await page.getByLabel("Time (UTC)").fill("21:48");
    await page.getByRole("button", { name: "Choose" }).click();
    await bar(page).getByText("16 records differ: 6 added, 4 removed, 6 changed").waitFor();
    const media = page.locator("section.page > section").filter({ hasText: "media" });
    await media.getByText("moved from 8096/Tcp to 8920/Tcp").waitFor();
    // The move is one item, and the ports have no items of their own.
    assert.equal(await media.getByRole("listitem").count(), 1);
    // The names of networks are read separately.
    await media.getByText("Home").waitFor();
    const shown = await page.getByRole("main").innerText();
    await page.reload();
    await media.getByText("moved from 8096/Tcp to 8920/Tcp").waitFor();
    await media.getByText("Home").waitFor();
    assert.equal(await page.getByRole("main").innerText(), shown);
    await page.getByRole("link", { name: "Every change in between" }).click();
    await page.getByRole("link", { name: "guest-laptop" }).first().waitFor();
    await bar(page).getByRole("button", { name: "Leave comparison" }).click();
    assert.equal(new URL(page.url()).search, `?view=changes&${past}`);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("lists changes newest first, loads older ones on request, and links each to its instant", async () => {
    const { page, problems } = await explore("view=changes");
    await page.locator(".transaction").first().waitFor();
    const days = async () =>
      (await page.getByRole("heading", { level: 2 }).allInnerTexts())
        .filter((text) => /\d{4}$/.test(text))
        .map((text) => Date.parse(`${text} UTC`));
    const transactions = page.locator(".transaction");
    const older = page.getByRole("button", { name: "Older changes" });
    while ((await older.count()) > 0) {
      const count = await transactions.count();
      await older.click();
      await transactions.nth(count).waitFor();
    }
    const shown = await days();
    assert.deepEqual(
      shown,
      shown.toSorted((one, other) => other - one),
    );
    assert.equal(shown.at(-1), Date.UTC(2022, 8, 1));
    assert.equal(await page.getByText("…", { exact: true }).count(), 0);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("signs in with a key that is kept only in memory or, if the box is ticked, for the tab", async () => {
    const { page, problems } = await explore(past, { prepare: signedOut });
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("API key").fill("inv_u_wrong");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.getByRole("alert").getByText("key").waitFor();
    assert.deepEqual(
      problems.splice(0).filter((problem) => !/401/.test(problem)),
      [],
    );
    await dialog.getByLabel("API key").fill(demo.keys.viewer);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Harbour Street Homelab · Viewer").waitFor();
    await row(page, "nas").getByText("differs").waitFor();
    const stored = "JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])";
    assert.doesNotMatch(String(await page.evaluate(stored)), /inv_u_/);

    await page.reload();
    await dialog.getByLabel("Keep for this tab").check();
    await dialog.getByLabel("API key").fill(demo.keys.viewer);
    await dialog.getByLabel("API key").press("Enter");
    await page.getByText("Harbour Street Homelab · Viewer").waitFor();
    await page.reload();
    await page.getByText("Harbour Street Homelab · Viewer").waitFor();
    assert.equal(new URL(page.url()).search, `?${past}`);

    // A Viewer cannot edit.
    await bar(page).getByRole("button", { name: "Now", exact: true }).click();
    await row(page, "nas").click();
    await panel(page).getByText("OpenSSH").first().waitFor();
    assert.equal(await panel(page).getByRole("button", { name: "Rename" }).count(), 0);
    await page.getByRole("button", { name: "Sign out" }).click();
    await dialog.getByLabel("API key").waitFor();
    assert.doesNotMatch(String(await page.evaluate(stored)), /inv_u_/);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("works with the keyboard alone", async () => {
    const { page, problems } = await explore();
    await row(page, "switch").waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("192.168.1.1");
    await row(page, "ci").waitFor({ state: "detached" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await panel(page).getByRole("heading", { name: "router" }).waitFor();
    await panel(page).getByText("OPNsense").first().waitFor();
    await page.keyboard.press("Escape");
    await panel(page).waitFor({ state: "detached" });
    await page.locator("a:focus", { hasText: /^router/ }).waitFor();
    const label = "document.activeElement.getAttribute('aria-label')";
    for (let tabs = 0; tabs < 12 && (await page.evaluate(label)) !== "Instant"; tabs++) {
      await page.keyboard.press("Tab");
    }
    assert.equal(await page.evaluate(label), "Instant");
    await page.keyboard.press("Home");
    await page.keyboard.press("PageUp");
    await page.keyboard.press("ArrowRight");
    const value = await page.getByRole("slider").getAttribute("aria-valuetext");
    assert.match(value ?? "", /^\d+ \w+ 202\d, 00:00 UTC\. .* (new|gone|changed|no changes)/);
    await status(page).getByText("202").waitFor();
    await page.keyboard.press("End");
    assert.equal(await page.getByRole("slider").getAttribute("aria-valuetext"), "Now");
    assert.deepEqual(problems, []);
    await page.close();
  });

  for (const [size, viewport] of Object.entries(sizes)) {
    test(`every screen fits and is accessible, light and dark: ${size}`, async () => {
      for (const { name, state, prepare, reach, isFailure } of screens) {
        const options: BrowserContextOptions = { viewport, reducedMotion: "reduce" };
        const { page, problems } = await explore(state, {
          ...options,
          ...(prepare && { prepare }),
        });
        await (size === "phone" && name === "host-past"
          ? panel(page).getByText("9443/Tcp").first().waitFor()
          : reach(page));
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await page.waitForTimeout(300);
          await screenshot(page, `${name}-${size}-${colorScheme}`);
          assert.deepEqual(await violations(page), [], `${name}, ${colorScheme}`);
        }
        assert.equal(await widthOf(page), viewport.width, name);
        if (!isFailure) {
          assert.deepEqual(problems, [], name);
        }
        await page.close();
      }
    });
  }
});

describe("the map", { concurrency: 2 }, () => {
  test("keeps its positions while the instant moves, and shows them again when its URL is reloaded", async () => {
    const { page, problems } = await explore("view=map");
    await onMap(page, "nas").waitFor();
    const now = await positionsOf(page);
    assert.equal(Object.keys(now).length, 12);
    await dragTo(page, "2025-05-10");
    await map(page)
      .getByRole("button", { name: "nas, 192.168.1.10, 6 services, differs from now" })
      .waitFor();
    await status(page).getByText("10 May 2025, 00:00 UTC: 12 hosts, 6 differ from now").waitFor();
    assert.equal(await map(page).locator("rect.marked").count(), 6);
    assert.deepEqual(await positionsOf(page), now);
    await onMap(page, "nas").click();
    await panel(page).getByText("9000/Tcp").first().waitFor();
    await page.waitForURL(`**/explore?view=map&${past}&${nas}`);

    await page.reload();
    await onMap(page, "nas").and(page.getByLabel("differs from now")).waitFor();
    await panel(page).getByText("9000/Tcp").first().waitFor();
    assert.deepEqual(await positionsOf(page), now);
    assert.equal(await onMap(page, "nas").getAttribute("aria-pressed"), "true");

    // The map leaves gaps for hosts that do not exist yet.
    await page.goto(`${pages.address}/explore?view=map&at=2024-01-01T00:00:00Z&network=${lab}`);
    await onMap(page, "ci").waitFor();
    const earlier = await positionsOf(page);
    assert.equal(earlier["kubernetes"], undefined);
    assert.ok((await map(page).locator(".vacancy").count()) >= 1);
    await bar(page).getByRole("button", { name: "Now", exact: true }).click();
    await onMap(page, "kubernetes").waitFor();
    assert.equal((await positionsOf(page))["ci"], earlier["ci"]);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("shows another layer, the surroundings of a host, and a table, all from the URL", async () => {
    const { page, problems } = await explore(`view=map&${past}`);
    await onMap(page, "nas").click();
    await panel(page).getByRole("link", { name: "Map around nas" }).click();
    await onMap(page, "git").waitFor({ state: "detached" });
    await onMap(page, "media").waitFor();
    await bar(page).getByText("6 hosts, 4 differ from now").waitFor();
    assert.equal(new URL(page.url()).search, `?view=map&${past}&${nas}&depth=2`);
    await map(page).getByLabel("Part of the map").selectOption("1");
    await onMap(page, "media").waitFor({ state: "detached" });
    await map(page).getByLabel("Part of the map").selectOption("");
    await onMap(page, "git").waitFor();
    await map(page).getByRole("link", { name: "Services" }).click();
    await map(page).getByText("Samba smbd 4.15.9").waitFor();
    assert.equal(new URL(page.url()).search, `?view=map&layer=services&${past}&${nas}`);
    await map(page).getByRole("link", { name: "As table" }).click();
    await map(page).getByRole("row", { name: "nas" }).getByText("Samba").waitFor();
    await map(page).getByRole("link", { name: "Layer 3" }).click();
    await map(page).getByRole("row", { name: "Ground floor" }).waitFor();
    const rows = await map(page).getByRole("row").allInnerTexts();
    const index = (text: string) => rows.findIndex((line) => line.startsWith(text));
    assert.ok(index("Home") < index("Ground floor") && index("Ground floor") < index("nas"));
    // A host in two subnets is listed in both, with its address in each.
    assert.deepEqual(
      rows.filter((line) => line.startsWith("hypervisor")).map((line) => line.split("\t")[1]),
      ["10.20.0.2", "10.20.1.2"],
    );
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("works with the keyboard alone", async () => {
    const { page, problems } = await explore(`view=map&${past}`);
    await onMap(page, "router").waitFor();
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''");
    const isHost = async () => /, \d+ services?/.test(String(await focused()));
    for (let tabs = 0; tabs < 20 && !(await isHost()); tabs++) {
      await page.keyboard.press("Tab");
    }
    assert.match(String(await focused()), /^nas, 192\.168\.1\.10, 6 services/);
    assert.equal(await map(page).locator("svg [tabindex='0']").count(), 1);
    await page.keyboard.press("ArrowRight");
    assert.match(String(await focused()), /^media, /);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    assert.match(String(await focused()), /^nas, /);
    await page.keyboard.press("Enter");
    await panel(page).getByText("OpenSSH").first().waitFor();
    await page.keyboard.press("Escape");
    await panel(page).waitFor({ state: "detached" });
    await page.locator("rect.host:focus").waitFor();
    assert.match(String(await focused()), /^nas, /);
    // Keyboard users can switch to the table with a link.
    await page.getByRole("link", { name: "Read the map as a table" }).focus();
    await page.keyboard.press("Enter");
    await map(page).getByRole("row", { name: "nas" }).waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("can be saved as Mermaid, DOT and SVG", async () => {
    const { page, problems } = await explore(`view=map&${past}`);
    await onMap(page, "nas").and(page.getByLabel("differs from now")).waitFor();
    const save = async (name: string) => {
      await map(page).getByRole("button", { name: "Export" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name, exact: true }).click(),
      ]);
      await page.keyboard.press("Escape");
      assert.match(download.suggestedFilename(), /^map-2025-05-10\.(mmd|dot|svg)$/);
      return readFile(await download.path(), "utf8");
    };
    assert.match(await save("Mermaid"), /^flowchart[\s\S]*nas/);
    assert.match(await save("DOT"), /^digraph[\s\S]*nas[\s\S]*\}\s*$/);
    const svg = await save("SVG");
    // The policy of `/explore` forbids parsing markup, so another page does it.
    const { page: viewer } = await pages.open("/api/health/live");
    const parsed = await viewer.evaluate(
      `(() => {
        const file = new DOMParser().parseFromString(${JSON.stringify(svg)}, "image/svg+xml");
        const all = [...file.querySelectorAll("*")];
        return [file.querySelectorAll("parsererror, [class], [id], script, foreignObject").length,
          all.some(({ localName, textContent }) => localName === "text" && textContent === "nas"),
          all.some((one) => one.getAttribute("fill")?.startsWith("rgb"))];
      })()`,
    );
    await viewer.setContent(svg);
    await screenshot(viewer, "map-saved");
    await viewer.close();
    assert.deepEqual(parsed, [0, true, true]);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("shows subnets with counts if it has too many hosts, and the hosts of one subnet when it is chosen", async () => {
    const { page, problems } = await explore("view=map", {
      prepare: (opened) =>
        opened.route(isWholeMap, (route) =>
          route.request().url().includes("subnet_id")
            ? route.continue()
            : fail(409, "topology_too_large")(route),
        ),
    });
    await map(page)
      .getByRole("button", { name: "Ground floor, 192.168.1.0/24 · Lan, 6 hosts" })
      .waitFor();
    await map(page).getByText("This map has more hosts than can be drawn at once").waitFor();
    await bar(page).getByText("12 hosts").waitFor();
    await map(page).getByRole("button", { name: "Ground floor, " }).click();
    await onMap(page, "nas").waitFor();
    await map(page).getByText("Only Ground floor").waitFor();
    assert.match(page.url(), /subnet=/);
    await map(page).getByRole("link", { name: "Show all" }).click();
    await map(page).getByRole("button", { name: "Lab, " }).waitFor();
    assert.deepEqual(
      problems.filter((problem) => !/409/.test(problem)),
      [],
    );
    await page.close();
  });

  test("of layer 2 shows cables, unknown devices and hosts without neighbors, all from the URL", async () => {
    const { page, problems } = await explore("view=map");
    await map(page).getByRole("link", { name: "Layer 2" }).click();
    assert.equal(new URL(page.url()).search, "?view=map&layer=l2");
    await map(page)
      .getByRole("button", { name: "nas, 192.168.1.10, 6 services, eth0 to router eth0" })
      .waitFor();
    await map(page)
      .getByRole("button", { name: "switch, 10.20.0.254, 3 services, 5 neighbors" })
      .waitFor();
    await map(page).getByText("Without a known neighbor").first().waitFor();
    for (const words of ["cable between two interfaces", "learned from a forwarding table"]) {
      await map(page).getByText(words).waitFor();
    }
    // An unknown device has an accessible name, but selecting it opens nothing.
    const unknown = map(page).getByRole("img", {
      name: /^switch, unknown device, .*10\.20\.0\.254/,
    });
    await unknown.click();
    await unknown.press("Enter");
    await map(page).getByText("unknown · 10.20.0.254").waitFor();
    assert.equal(await panel(page).count(), 0);
    assert.equal(new URL(page.url()).search, "?view=map&layer=l2");

    const now = await positionsOf(page);
    await dragTo(page, "2025-05-10");
    await onMap(page, "nas").and(page.getByLabel("differs from now")).waitFor();
    assert.deepEqual(await positionsOf(page), now);

    await onMap(page, "nas").click();
    await panel(page).getByText("hears router eth0").waitFor();
    await panel(page).getByText("VLAN 1, tagged 20, 30").waitFor();
    await map(page).getByLabel("Part of the map").selectOption("1");
    await onMap(page, "printer").waitFor({ state: "detached" });
    await onMap(page, "router").waitFor();
    assert.equal(new URL(page.url()).search, `?view=map&layer=l2&${past}&${nas}&depth=1`);
    await map(page).getByLabel("Part of the map").selectOption("");
    await onMap(page, "printer").waitFor();
    await map(page).getByLabel("VLAN").fill("20");
    await map(page).getByLabel("VLAN").press("Enter");
    await onMap(page, "media").waitFor({ state: "detached" });
    await onMap(page, "switch").waitFor();
    assert.equal(new URL(page.url()).search, `?view=map&layer=l2&vlan=20&${past}&${nas}`);
    for (const wrong of ["0", "4095", "1.5"]) {
      await map(page).getByLabel("VLAN").fill(wrong);
      await map(page).getByLabel("VLAN").press("Enter");
      assert.match(page.url(), /vlan=20&/);
    }
    await map(page).getByRole("link", { name: "Layer 3" }).click();
    assert.equal(new URL(page.url()).search, `?view=map&${past}&${nas}`);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("of layer 2 has a table with both interfaces of each cable", async () => {
    const { page, problems } = await explore("view=table&layer=l2");
    const rows = map(page).getByRole("row");
    await map(page).getByRole("row", { name: "ether24" }).waitFor();
    const texts = await rows.allInnerTexts();
    const after = (text: string) => texts.slice(texts.findIndex((row) => row.startsWith(text)) + 1);
    assert.deepEqual(after("hypervisor").slice(0, 3), [
      "eth0\tswitch\tsfp-sfpplus1\tLLDP or CDP",
      "eth1\tswitch\tsfp-sfpplus2\tLLDP or CDP",
      "vmbr0\tdebian unknown\t–\tLLDP or CDP",
    ]);
    const ofSwitch = after("switch 10.20.0.254");
    assert.deepEqual(
      ["ether1", "ether3", "ether24", "sfp-sfpplus1"].map((port) =>
        ofSwitch.findIndex((row) => row.startsWith(`${port}\t`)),
      ),
      [0, 1, 2, 3],
    );
    assert.match(ofSwitch[1] ?? "", /kubernetes.*forwarding table/);
    assert.ok(texts.some((row) => row.startsWith("media") && row.includes("no known neighbor")));
    await map(page)
      .getByRole("row", { name: /^ether3 / })
      .getByRole("link")
      .click();
    await panel(page).getByRole("heading", { name: "kubernetes" }).waitFor();
    // A search keeps matching hosts and all of their neighbors, and matching hosts without
    // neighbors.
    await page.getByRole("searchbox").fill("192.168.1.10");
    await map(page).getByRole("row", { name: "ether24" }).waitFor({ state: "detached" });
    await map(page).getByRole("row", { name: "eth0 router eth0" }).waitFor();
    await page.getByRole("searchbox").fill("192.168.1.20");
    await map(page).getByRole("row", { name: "media" }).waitFor();
    assert.equal(await rows.count(), 3);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("of layer 2 works with the keyboard alone", async () => {
    const { page, problems } = await explore(`view=map&layer=l2&network=${lab}`);
    await onMap(page, "switch").focus();
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''");
    assert.equal(await map(page).locator("svg [tabindex='0']").count(), 1);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.match(String(await focused()), /, unknown device, /);
    await page.keyboard.press("Enter");
    assert.equal(await panel(page).count(), 0);
    assert.equal(await map(page).locator("svg [tabindex='0']").count(), 1);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    assert.match(String(await focused()), /^switch, 10\.20\.0\.254, /);
    await page.keyboard.press("Enter");
    await panel(page).getByText("hears router eth1").waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("of layer 2 can be saved as Mermaid, DOT and SVG", async () => {
    const { page, problems } = await explore("view=map&layer=l2");
    await onMap(page, "nas").waitFor();
    for (const [name, content] of [
      ["Mermaid", /^flowchart[\s\S]*sfp-sfpplus1/],
      ["DOT", /^digraph[\s\S]*sfp-sfpplus1/],
      ["SVG", /^<svg[\s\S]*>upstairs</],
    ] as const) {
      await map(page).getByRole("button", { name: "Export" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name, exact: true }).click(),
      ]);
      await page.keyboard.press("Escape");
      assert.match(await readFile(await download.path(), "utf8"), content);
    }
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("of layer 2 without neighbors states how they become known", async () => {
    const { page, problems } = await explore(`view=map&layer=l2&${beforeNeighbors}`);
    const heading = page.getByRole("heading", {
      name: "No device had reported neighbors by LLDP or CDP on 3 Sep 2022.",
    });
    await heading.waitFor();
    await page.getByText("1 host is known, but none of its connections.").waitFor();
    await map(page).getByRole("link", { name: "As table" }).click();
    await heading.waitFor();
    await page.getByRole("link", { name: "Show it as of now" }).click();
    await map(page).getByRole("row", { name: "ether24" }).waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("of layer 2 with 5,000 hosts shows the switches with counts, and the hosts of one when it is chosen", async () => {
    const { page, problems } = await explore("view=map&layer=l2", {
      prepare: (opened) =>
        opened.route("**/api/v1/topology*", (route) =>
          route.fulfill({ json: { success: true, data: largeLayer2(199, 24), meta: {} } }),
        ),
    });
    const floor = map(page).getByRole("button", { name: "floor-0, 24 hosts" });
    await floor.waitFor();
    await map(page).getByText("Too many hosts are in view: zoom in to see them.").waitFor();
    const elements = () => page.evaluate("document.querySelectorAll('*').length").then(Number);
    assert.ok((await elements()) <= 1800);
    await screenshot(page, "map-layer-2-5000-hosts");
    await floor.focus();
    await page.keyboard.press("Enter");
    await onMap(page, "host-0-23").waitFor();
    assert.ok((await elements()) <= 1800);
    await screenshot(page, "map-layer-2-5000-hosts-near");
    // One heading per node (4,976), and two rows per cable (4,975), one for each end.
    await map(page).getByRole("link", { name: "As table" }).click();
    const more = map(page).getByRole("button", { name: "Show 200 more of 14,726 rows" });
    await more.waitFor();
    assert.equal(await map(page).locator("tbody tr:not(.of-network)").count(), 200);
    await more.click();
    await map(page).getByRole("button", { name: "Show 200 more of 14,526 rows" }).waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("with 20,000 hosts, draws only those in view, and moves smoothly", async () => {
    const { page, problems } = await explore("view=map", {
      prepare: (opened) =>
        opened.route("**/api/v1/topology*", (route) =>
          route.fulfill({ json: { success: true, data: largeMap(80, 250), meta: {} } }),
        ),
    });
    await map(page).getByRole("button", { name: "Floor 0, " }).waitFor();
    const elements = () => page.evaluate("document.querySelectorAll('*').length").then(Number);
    const counts = [await elements()];
    const durations: number[] = [];
    /** Moves the map with the mouse, and measures the time between frames. */
    const pan = async () => {
      await page.evaluate(`{
        window.frames = [];
        let last = performance.now();
        const measure = (now) => {
          window.frames.push(now - last);
          last = now;
          window.request = requestAnimationFrame(measure);
        };
        requestAnimationFrame(measure);
      }`);
      await page.mouse.move(900, 600);
      await page.mouse.down();
      for (let step = 1; step <= 90; step++) {
        const angle = (step / 90) * 2 * Math.PI;
        await page.mouse.move(900 - (1 - Math.cos(angle)) * 300, 600 - Math.sin(angle) * 300);
      }
      await page.mouse.up();
      durations.push(
        ...JSON.parse(
          String(
            await page.evaluate(
              "cancelAnimationFrame(window.request), JSON.stringify(window.frames)",
            ),
          ),
        ),
      );
      counts.push(await elements());
    };
    await screenshot(page, "map-20000-hosts");
    await pan();
    await map(page).getByRole("button", { name: "Floor 0, " }).focus();
    await page.keyboard.press("Enter");
    await page.locator("rect.host").first().waitFor();
    await screenshot(page, "map-20000-hosts-near");
    await pan();
    for (let step = 0; step < 3; step++) {
      await map(page).getByRole("button", { name: "Zoom out" }).click();
      await pan();
    }
    const sorted = durations.toSorted((one, other) => one - other);
    const [p50, p95] = [0.5, 0.95].map((part) => sorted[Math.floor(sorted.length * part)] ?? 0);
    console.log(
      `20,000 hosts on a map: ${counts.join(", ")} elements, frames of ${p50?.toFixed()} ms, 95 % under ${p95?.toFixed()} ms.`,
    );
    assert.ok(Math.max(...counts) <= 1800, `${counts}`);
    assert.ok(p95 !== undefined && p95 < 100, `${p95} ms`);
    assert.deepEqual(problems, []);
    await page.close();
  });
});

/** Returns a layer 2 map: a router, its switches, and the same number of hosts on each switch. */
function largeLayer2(switches: number, hostsOfEach: number) {
  const network_id = "277af32d-eb94-4677-88b1-472a3ec07051";
  const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;
  const nodes: object[] = [];
  const edges: object[] = [];
  const add = (label: string, above: number | undefined) => {
    const id = idOf(nodes.length);
    if (above !== undefined) {
      edges.push({
        id: `link:${idOf(above)}:${id}`,
        type: "Link",
        source: `host:${idOf(above)}`,
        target: `host:${id}`,
        basis: "reported",
        label: `GigabitEthernet1/0/${nodes.length} - eth0`,
        evidence: [{ entity: "Neighbor", id, says: [] }],
      });
    }
    return nodes.push({
      id: `host:${id}`,
      type: "Host",
      record: { entity: "Host", id },
      label,
      network_id,
      parent: null,
      details: { addresses: [], services: 3, operating_system: null },
    });
  };
  add("core", undefined);
  for (let index = 0; index < switches; index++) {
    const above = add(`floor-${index}`, 0) - 1;
    for (let host = 0; host < hostsOfEach; host++) {
      add(`host-${index}-${host}`, above);
    }
  }
  const counts = { nodes: nodes.length, edges: edges.length, hosts: nodes.length };
  return {
    at: null,
    network_ids: [network_id],
    layer: "l2",
    detail: "hosts",
    nodes,
    edges,
    counts: { ...counts, hosts_in_no_subnet: nodes.length },
  };
}

/** Returns a map whose subnets all have the same number of hosts. */
function largeMap(subnets: number, hostsOfEach: number) {
  const network_id = "277af32d-eb94-4677-88b1-472a3ec07051";
  const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;
  const nodes: object[] = [];
  const edges: object[] = [];
  for (let subnet = 0; subnet < subnets; subnet++) {
    const id = `subnet:${idOf(subnet)}`;
    nodes.push({
      id,
      type: "Subnet",
      record: { entity: "Subnet", id: idOf(subnet) },
      label: `Floor ${subnet}`,
      network_id,
      parent: null,
      details: {
        cidr: `10.${subnet}.0.0/24`,
        subnet_type: "Lan",
        hosts: hostsOfEach,
        addresses: hostsOfEach,
      },
    });
    for (let host = 0; host < hostsOfEach; host++) {
      const hostId = idOf(1000 + subnet * hostsOfEach + host);
      const address = `10.${subnet}.0.${host + 1}`;
      nodes.push({
        id: `host:${hostId}`,
        type: "Host",
        record: { entity: "Host", id: hostId },
        label: `host-${subnet}-${host}`,
        network_id,
        parent: id,
        details: { addresses: [address], services: 3, operating_system: "Debian 12" },
      });
      edges.push({
        id: `address:${hostId}`,
        type: "Address",
        source: `host:${hostId}`,
        target: id,
        basis: "recorded",
        label: address,
        evidence: [{ entity: "IPAddress", id: hostId }],
      });
    }
  }
  const counts = {
    nodes: nodes.length,
    edges: edges.length,
    hosts: subnets * hostsOfEach,
    hosts_in_no_subnet: 0,
  };
  return {
    at: null,
    network_ids: [network_id],
    layer: "l3",
    detail: "hosts",
    nodes,
    edges,
    counts,
  };
}

describe("when requests fail, the page", { concurrency: 2 }, () => {
  for (const [code, httpStatus, sentence] of [
    ["rate_limit_exceeded", 429, "Too many requests."],
    ["service_unavailable", 503, "The service cannot reach its database."],
  ] as const) {
    test(`keeps its data, shows the age of the data, and tries again: ${httpStatus}`, async () => {
      const { page } = await explore();
      await row(page, "switch").waitFor();
      await page.route("**/api/v1/hosts?*", fail(httpStatus, code));
      await page.getByRole("searchbox").fill("nas");
      const alert = page.getByRole("alert");
      await alert.getByText(sentence).waitFor();
      assert.match(await alert.innerText(), /The data is as of \d\d:\d\d\./);
      assert.equal(await row(page, "switch").count(), 1);
      await page.unroute("**/api/v1/hosts?*");
      await row(page, "switch").waitFor({ state: "detached" });
      await alert.waitFor({ state: "detached" });
      await row(page, "nas").waitFor();
      await page.close();
    });
  }

  test("reports that it is offline, and continues when it is online again", async () => {
    const { page } = await explore();
    await row(page, "switch").waitFor();
    await page.context().setOffline(true);
    await page.getByRole("searchbox").fill("nas");
    await page.getByRole("alert").getByText("You are offline.").waitFor();
    await screenshot(page, "offline");
    await page.context().setOffline(false);
    await row(page, "switch").waitFor({ state: "detached" });
    await page.close();
  });

  test("repeats a request if its response was cut off", async () => {
    let count = 0;
    const { page } = await explore("", {
      prepare: (opened) =>
        opened.route("**/api/v1/hosts?*", (route) =>
          count++ === 0
            ? route.fulfill({ body: '{"success": true, "data": [{"id"' })
            : route.continue(),
        ),
    });
    await page.getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Try now" }).click();
    await row(page, "switch").waitFor();
    await page.close();
  });

  test("shows its frame, and keeps rows, while responses are slow", async () => {
    const { page, problems } = await explore("", {
      prepare: (opened) =>
        opened.route("**/api/v1/hosts?*", async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 1500));
          await route.continue();
        }),
    });
    await page.getByRole("list", { name: "Loading" }).waitFor();
    await page.getByRole("searchbox").waitFor();
    await screenshot(page, "loading");
    await row(page, "switch").waitFor();
    await page.getByRole("searchbox").fill("nas");
    await page.waitForTimeout(500);
    assert.equal(await row(page, "switch").count(), 1);
    await row(page, "switch").waitFor({ state: "detached" });
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("asks for a key again after a 401, and stays at the same URL", async () => {
    const { page } = await explore(`${past}&${nas}`);
    await panel(page).getByText("OpenSSH 9.6p1").waitFor();
    // If a request for the page is still in progress, its 401 opens the dialog before the click.
    await page.waitForLoadState("networkidle");
    await page.route("**/api/v1/**", fail(401, "auth_key_disabled"));
    await bar(page).getByRole("button", { name: "Next change" }).click();
    await page.getByRole("dialog").getByText("The test answers auth_key_disabled.").waitFor();
    await screenshot(page, "rejected");
    await page.unroute("**/api/v1/**");
    assert.equal(new URL(page.url()).search, `?${past}&${nas}`);
    await page.getByLabel("API key").fill(demo.keys.member);
    await page.getByRole("button", { name: "Sign in" }).click();
    await panel(page).getByText("OpenSSH 9.6p1").waitFor();
    await page.getByText("Harbour Street Homelab · Member").waitFor();
    await page.close();
  });

  test("links from an instant before the history begins to its beginning", async () => {
    const { page } = await explore(past, {
      prepare: (opened) =>
        opened.route(
          /api.*[?&]at=2025-05/,
          fail(410, "history_expired", { history_from: "2025-08-01T00:00:00Z" }),
        ),
    });
    await bar(page).getByText("History is kept from 1 Aug 2025, 00:00 UTC.").waitFor();
    await page.getByRole("link", { name: "Go to 1 Aug 2025" }).click();
    await row(page, "switch").waitFor();
    await page.close();
  });

  test("explains why a comparison is too large", async () => {
    const { page } = await explore(compared, {
      prepare: (opened) => opened.route("**/api/v1/diff?*", fail(409, "range_too_large")),
    });
    await page.getByRole("heading", { name: "Too much changed" }).waitFor();
    await page.close();
  });
});

describe("editing", () => {
  test("two pages edit one host: the second sees both values, and loses neither", async () => {
    const printer = "host=5e868872-aae4-4cb7-8649-a431f8319502";
    const [one, other] = [await explore(printer), await explore(printer)];
    for (const { page } of [one, other]) {
      await panel(page).getByRole("button", { name: "Rename or describe" }).click();
      await panel(page).getByLabel("Name").waitFor();
    }
    await panel(one.page).getByLabel("Name").fill("laser");
    await panel(one.page).getByRole("button", { name: "Save" }).click();
    await panel(one.page).getByRole("heading", { name: "laser" }).waitFor();
    await row(one.page, "laser").waitFor();

    const second = panel(other.page);
    await second.getByLabel("Description").fill("In the hall");
    await second.getByRole("button", { name: "Save" }).click();
    await second.getByText("Somebody else has saved this host").waitFor();
    const names = second.getByRole("row", { name: "Name" });
    assert.deepEqual(await names.getByRole("cell").allInnerTexts(), ["not changed", "laser"]);
    assert.deepEqual(await violations(other.page), []);
    await screenshot(other.page, "conflict");
    await second.getByRole("button", { name: "Take theirs" }).click();
    await second.getByRole("heading", { name: "laser" }).waitFor();

    await second.getByRole("button", { name: "Rename or describe" }).click();
    await second.getByLabel("Description").fill("In the hall");
    await panel(one.page).getByRole("button", { name: "Rename or describe" }).click();
    await panel(one.page).getByLabel("Description").fill("On the stairs");
    await panel(one.page).getByRole("button", { name: "Save" }).click();
    await panel(one.page).getByText("On the stairs", { exact: true }).waitFor();
    await second.getByRole("button", { name: "Save" }).click();
    await second.getByRole("button", { name: "Keep mine" }).click();
    await second.getByText("In the hall", { exact: true }).waitFor();
    await second.getByRole("heading", { name: "laser" }).waitFor();

    await second.getByRole("button", { name: "Rename or describe" }).click();
    await second.getByLabel("Name").fill("printer");
    await second.getByLabel("Description").fill("");
    await second.getByRole("button", { name: "Save" }).click();
    await second.getByRole("heading", { name: "printer" }).waitFor();
    assert.deepEqual(one.problems, []);
    assert.deepEqual(
      other.problems.filter((problem) => !/412/.test(problem)),
      [],
    );
    await Promise.all([one.page.close(), other.page.close()]);
  });
});

describe("another organization", () => {
  const key = demo.other.keys.owner;
  const prepare = withKey(key);
  const send = async (path: string, json: unknown) => {
    const response = await fetch(`${pages.address}/api/v1${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(json),
    });
    assert.ok(response.ok, await response.text());
  };

  test("without a network sees the first steps", async () => {
    const { page, problems } = await explore("", { prepare });
    await page.getByText("Create a network first.").waitFor();
    assert.doesNotMatch(await page.getByRole("main").innerText(), /inv_u_/);
    await screenshot(page, "no-network");
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("shows device names as plain text", async () => {
    const name = `<img src="x" onerror="alert(1)"> \u202e{{7*7}}`;
    const network = "3a0c6c52-6d0a-4f4b-8f6e-5c7b4de0a7b9";
    await send("/networks", { id: network, name: "<b>Ward</b>" });
    await send(`/networks/${network}/imports`, {
      hosts: [
        {
          name,
          addresses: [{ ip_address: "192.0.2.7" }],
          interfaces: [
            {
              if_index: 1,
              name,
              neighbors: [
                {
                  protocol: "Lldp",
                  chassis_id: { subtype: "LocallyAssigned", value: name },
                  port_id: { subtype: "InterfaceName", value: name },
                  system_description: name,
                },
              ],
            },
          ],
        },
      ],
    });
    const { page, problems } = await explore("", { prepare });
    await page.getByRole("link", { name: "<img" }).click();
    await panel(page).getByRole("heading", { name: "<img" }).waitFor();
    await panel(page).getByText("192.0.2.7").first().waitFor();
    assert.equal(await page.locator("main img, main b").count(), 0);
    await page.goto(`${pages.address}/explore?view=map&layer=l2`);
    await map(page)
      .getByRole("img", { name: /^<img src="x" .*, unknown device/ })
      .waitFor();
    await map(page).getByRole("link", { name: "As table" }).click();
    await map(page)
      .getByRole("row", { name: /^<img .*unknown/ })
      .waitFor();
    assert.equal(await page.locator("main img, main b").count(), 0);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("with 20,000 hosts gets its list within 1.5 s, and a page of at most 1,800 elements", async () => {
    const network = "0d5c7c1e-2f7b-4c55-9d57-4f6c1e0f7a01";
    await send("/networks", { id: network, name: "Clinic" });
    for (let part = 0; part < 40; part++) {
      const hosts = Array.from({ length: 500 }, (_, index) => ({
        name: `host-${String(part * 500 + index).padStart(5, "0")}`,
        operating_system: "Debian 12",
        addresses: [{ ip_address: `10.${part}.${index >> 8}.${index & 255}` }],
        ports: [{ number: 22, protocol: "Tcp", service: { name: "OpenSSH" } }],
      }));
      await send(`/networks/${network}/imports`, { hosts });
    }
    const { page, problems } = await explore("", { prepare });
    await row(page, "host-00000").waitFor();
    const times = [Number(await page.evaluate("performance.now()"))];
    while (times.length < 3) {
      await page.reload();
      await row(page, "host-00000").waitFor();
      times.push(Number(await page.evaluate("performance.now()")));
    }
    // The fastest of three, since other programs may be running.
    const first = Math.min(...times);
    console.log(`20,000 hosts: the list is usable after ${Math.round(first)} ms.`);
    const elements = () => page.evaluate("document.querySelectorAll('*').length").then(Number);
    const counts = [await elements()];
    await row(page, "host-00000").press("End");
    await row(page, "host-19999").waitFor();
    await page.locator("a:focus", { hasText: /^host-19999/ }).waitFor();
    counts.push(await elements());
    await page.evaluate(`{
      const list = document.querySelector(".rows");
      list.scrollTo(0, list.scrollHeight / 2);
    }`);
    await page
      .getByRole("link", { name: /^host-1000\d/ })
      .first()
      .waitFor();
    await row(page, "host-10000").click();
    await panel(page).getByText("OpenSSH").first().waitFor();
    counts.push(await elements());
    console.log(`20,000 hosts: ${counts.join(", ")} elements.`);
    await screenshot(page, "20000-hosts");
    assert.ok(Math.max(...counts) <= 1800, `${counts}`);
    assert.ok(first <= 1500, `${first} ms`);
    await page.getByRole("searchbox").fill("10.7.1.1");
    await row(page, "host-03757").waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  });
});
