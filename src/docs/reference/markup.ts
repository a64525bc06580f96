import { type html, raw } from "hono/html";
import { marked } from "marked";

/** A piece of a page, escaped. */
export type Markup = ReturnType<typeof html>;

/** Renders Markdown of the OpenAPI document, which contains only our own texts. */
export const markdown = (text: string): Markup => raw(marked.parse(text, { async: false }));

/** Renders one line of Markdown. */
export const inline = (text: string): Markup => raw(marked.parseInline(text, { async: false }));
