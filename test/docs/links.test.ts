import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";

/** The sources of the page at `/explore`, whose links exist only in the browser. */
const sources = import.meta.glob<string>("../../src/explore/**/*.tsx", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The links of a page to this service, including those to the page's own elements. */
const linksOf = (text: string, path: string): string[] =>
  Array.from(text.matchAll(/(?:href|src)="([/#][^"]*)"/g), ([, link = ""]) =>
    link.startsWith("#") ? path + link : link,
  );

test("every link of the pages, including /explore, leads to an existing page and element", async () => {
  const api = openApi();
  const pages = new Map<string, string>();
  const broken: string[] = [];
  // The loop also visits the links that it adds.
  const links = new Set(["/", ...Object.values(sources).flatMap((text) => linksOf(text, "/"))]);
  for (const link of links) {
    const [path = "", anchor] = link.split("#");
    const known = pages.get(path);
    const { status, text } =
      known === undefined ? await api.send("GET", path) : { status: 200, text: known };
    // Readiness also depends on other tests' data. Here, the path only has to exist.
    const exists = status === 200 || path === "/api/health/ready";
    if (!exists || (anchor !== undefined && !text.includes(` id="${anchor}"`))) {
      broken.push(link);
    }
    if (known === undefined && text.startsWith("<!doctype html>")) {
      for (const found of linksOf(text, path)) {
        links.add(found);
      }
    }
    pages.set(path, text);
  }
  expect(broken).toEqual([]);
  expect([...pages.keys()]).toEqual(
    expect.arrayContaining(["/explore", "/docs", "/docs/discovery", "/docs/errors"]),
  );
});
