import { type html, raw } from "hono/html";
import { Marked, marked } from "marked";

/** A piece of a page, escaped. */
export type Markup = ReturnType<typeof html>;

/** Renders Markdown of the OpenAPI document, which contains only our own texts. */
export const markdown = (text: string): Markup => raw(marked.parse(text, { async: false }));

/** Renders one line of Markdown. */
export const inline = (text: string): Markup => raw(marked.parseInline(text, { async: false }));

/** The anchor that GitHub generates for a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .trim()
    .replaceAll(" ", "-");

/** A relative link to a file of the repository, with the name of a Markdown file. */
const fileLink = /^(?![a-z]+:)(?:[\w.-]+\/)*([\w.-]+?)(?:\.md)?(?=#|$)/;

const linkingTo = (served: ReadonlySet<string>) =>
  new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const name = fileLink.exec(href)?.[1];
        if (name !== undefined && !served.has(name)) {
          return text;
        }
        return `<a href="${href.replace(fileLink, "/docs/$1")}">${text}</a>`;
      },
      image: () => "",
    },
  });

/** The head of a table without headings, which Markdown cannot omit. */
const emptyHead = /<thead>\s*<tr>\s*(<th><\/th>\s*)+<\/tr>\s*<\/thead>\s*/g;

/** The line breaks between the parts of tables and lists, which have no effect. */
const idleBreaks = /(?<=<\/?(?:table|thead|tbody|tr|td|th|ul|ol|li)>)\n/g;

/**
 * Renders a document. Headings have anchors, links lead to the pages of other documents, and links
 * to files that have no page become text, as do images.
 * @param served the names of the documents that have a page
 */
export const guide = (text: string, served: ReadonlySet<string>): Markup =>
  raw(
    linkingTo(served)
      .parse(text, { async: false })
      .replaceAll(emptyHead, "")
      .replaceAll("<th></th>", "<td></td>")
      .replaceAll(idleBreaks, "")
      // Neither texts nor attributes in double quotes need this escape.
      .replaceAll("&#39;", "'"),
  );
