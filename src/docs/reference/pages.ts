import { html } from "hono/html";
import type { Document } from "./document.ts";
import { guide, type Markup, markdown } from "./markup.ts";
import { operationSection, operationsOf, type Resolved, schemasOf } from "./operation.ts";
import { schemaSection, schemasBehind, withScalars } from "./schemas.ts";

/** The last segment of a group's address: `ip-addresses` for "IP addresses". */
const segmentOf = (group: string) => group.toLowerCase().replaceAll(" ", "-");

const layout = (
  document: Document,
  page: { title?: string; content: Markup },
) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${page.title ?? "Reference"}: ${document.info.title}</title>
    <link rel="icon" href="/docs/icon.svg">
    <link rel="stylesheet" href="/docs/colors.css">
    <link rel="stylesheet" href="/docs/base.css">
    <link rel="stylesheet" href="/docs/reference.css">
    <script src="/docs/reference.js" data-key="" defer></script>
  </head>
  <body>
    <header>
      <p class="product"><img src="/docs/icon.svg" alt="" width="24" height="24"> <a href="/">${document.info.title}</a></p>
      <nav aria-label="Pages">
        <a href="/explore">Explore</a>
        <a href="/docs">Reference</a>
        <a href="/docs/contract">Contract</a>
        <a href="/openapi.json">OpenAPI</a>
      </nav>
      <label class="key">API key <input id="key" type="password" autocomplete="off" placeholder="inv_u_…"></label>
    </header>
    <noscript><p>Sending a request from this page needs JavaScript. Reading does not.</p></noscript>
    <main>${page.content}
    </main>
    <nav class="groups" aria-label="Groups">
      <ul>${document.tags.map(
        ({ name }) => html`
        <li><a href="/docs/${segmentOf(name)}"${name === page.title ? html` aria-current="page"` : ""}>${name}</a></li>`,
      )}
      </ul>
    </nav>
  </body>
</html>
`;

/** Links to operations. */
const contents = (operations: readonly Resolved[], page = "") => html`
      <ul class="contents">${operations.map(
        ({ operationId, method, summary, path }) => html`
        <li><a href="${page}#${operationId}">${summary}</a> <b class="${method.toLowerCase()}">${method}</b> <code>${path}</code></li>`,
      )}
      </ul>`;

/** The introduction, the operations of each group, and the rules that apply to all of them. */
function startPage(document: Document, operations: readonly Resolved[]): Markup {
  const [introduction = "", ...rules] = document.info.description.split(/\n(?=## )/);
  return html`
      <h1>Reference</h1>
      ${markdown(introduction)}${document.tags.map(({ name, description }) => {
        const own = operations.filter(({ tags: [group] }) => group === name);
        return html`
      <section>
        <h2><a href="/docs/${segmentOf(name)}">${name}</a></h2>
        ${markdown(description)}${contents(own, `/docs/${segmentOf(name)}`)}
      </section>`;
      })}
      ${markdown(rules.join("\n"))}`;
}

function groupPage(
  document: Document,
  { name, description }: Document["tags"][number],
  operations: readonly Resolved[],
): Markup {
  const { schemas } = document.components;
  const named = schemasBehind(operations.flatMap(schemasOf), document);
  return html`
      <h1>${name}</h1>
      ${markdown(description)}${contents(operations)}
      ${operations.map((operation) => operationSection(operation))}
      <section class="schemas">
        <h2>Schemas</h2>${named.map((schema) => schemaSection(schema, schemas[schema] ?? {}))}
      </section>`;
}

/**
 * The pages of the reference: one for each group of operations, one for each document, and `index`.
 * @param documents Markdown, by the last segment of its address
 * @returns their HTML, by the last segment of their address
 */
export async function referencePages(
  original: Document,
  documents: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const document = withScalars(original);
  const operations = operationsOf(document);
  const served = new Set(documents.keys());
  const pages = [
    { segment: "index", page: { content: startPage(document, operations) } },
    ...Array.from(documents, ([segment, text]) => ({
      segment,
      page: { title: /^# (.+)$/m.exec(text)?.[1] ?? segment, content: guide(text, served) },
    })),
    ...document.tags.map((group) => {
      const own = operations.filter(({ tags: [name] }) => name === group.name);
      return {
        segment: segmentOf(group.name),
        page: { title: group.name, content: groupPage(document, group, own) },
      };
    }),
  ];
  return new Map(
    await Promise.all(
      pages.map(
        async ({ segment, page }) => [segment, String(await layout(document, page))] as const,
      ),
    ),
  );
}
