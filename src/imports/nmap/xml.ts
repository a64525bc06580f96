import { Attributes, checkReferences } from "./attributes.ts";
import { Cursor } from "./cursor.ts";
import { Problem } from "./problem.ts";

/**
 * Maximum nesting of elements. nmap's own elements are nested five levels deep, and those of its
 * scripts about ten.
 */
export const maxDepth = 32;
/** Maximum number of elements in a document. */
export const maxElements = 500_000;

/**
 * Receives the elements of a document. A path consists of the names of the elements from the root,
 * joined by `/`.
 */
export interface XmlHandler {
  /** @throws {Problem} if this element is invalid */
  open(path: string, attributes: Attributes): void;
  /** @throws {Problem} if this element as a whole is invalid */
  close(path: string): void;
}

/**
 * Parses untrusted XML 1.0 in linear time, without storing or fetching anything. Document types
 * with a subset are rejected, so there are no entities to expand. Characters that XML forbids are
 * accepted, since scanners copy them from devices. Text and CDATA are checked and discarded, since
 * nmap stores all data in attributes.
 *
 * This is a custom parser, since parsers on npm are too large for the bundle's limit (saxes: 8
 * KiB), skip document types instead of rejecting them, and do not limit the depth or the number of
 * elements.
 *
 * @throws {ApiError} `request_malformed_xml` if it is not well-formed, is truncated or exceeds a
 *   limit
 */
export function readXml(text: string, handler: XmlHandler): void {
  const cursor = new Cursor(text);
  try {
    new XmlReader(cursor, handler).read();
  } catch (error) {
    throw error instanceof Problem ? cursor.error(error.message) : error;
  }
}

const declaration = /^<\?xml[\t\n\r ]/;

class XmlReader {
  readonly #cursor: Cursor;
  readonly #handler: XmlHandler;
  /** The open elements, from the root. */
  readonly #open: { name: string; path: string }[] = [];
  #elements = 0;
  #hasDoctype = false;

  constructor(cursor: Cursor, handler: XmlHandler) {
    this.#cursor = cursor;
    this.#handler = handler;
  }

  read(): void {
    const cursor = this.#cursor;
    // XML requires the declaration at the beginning, but editors add blank lines before it.
    cursor.space();
    if (declaration.test(cursor.text.slice(cursor.at, cursor.at + 6))) {
      this.#declaration();
    }
    while (!cursor.isAtEnd) {
      const markup = cursor.text.indexOf("<", cursor.at);
      this.#characters(markup === -1 ? cursor.text.length : markup);
      if (markup !== -1) {
        cursor.markup = markup;
        this.#markup();
      }
    }
    if (this.#open.length > 0 || this.#elements === 0) {
      throw cursor.cutOff();
    }
  }

  #markup(): void {
    const cursor = this.#cursor;
    if (cursor.take("</")) {
      this.#endTag();
    } else if (cursor.take("<!--")) {
      cursor.upTo("--");
      cursor.expect(">");
    } else if (cursor.take("<?")) {
      this.#instruction();
    } else if (cursor.take("<!DOCTYPE")) {
      this.#doctype();
    } else if (this.#open.length > 0 && cursor.take("<![CDATA[")) {
      cursor.upTo("]]>");
    } else {
      cursor.expect("<");
      this.#startTag();
    }
  }

  #declaration(): void {
    const cursor = this.#cursor;
    cursor.expect("<?xml");
    const attributes = Attributes.read(cursor);
    cursor.expect("?>");
    if (attributes.get("version") !== "1.0") {
      throw cursor.error('the body is not XML of version="1.0".');
    }
  }

  #characters(end: number): void {
    const cursor = this.#cursor;
    const start = cursor.at;
    const characters = cursor.text.slice(start, end);
    cursor.at = end;
    if (this.#open.length > 0) {
      checkReferences(cursor, characters, start);
      const wrong = characters.indexOf("]]>");
      if (wrong !== -1) {
        throw cursor.error('"]]>" is not allowed in text. Write ">" as "&gt;".', start + wrong);
      }
    } else if (/[^\t\n\r ]/.test(characters)) {
      throw cursor.error("text is not allowed outside of the root element.", start);
    }
  }

  /**
   * nmap writes `<!DOCTYPE nmaprun>`; earlier versions add a public identifier and its URL. Nothing
   * is fetched. An internal subset could define entities.
   */
  #doctype(): void {
    const cursor = this.#cursor;
    const wrong = () =>
      cursor.error(
        "the document type must be <!DOCTYPE nmaprun>, optionally with an identifier, once and before the root element.",
      );
    if (this.#hasDoctype || this.#elements > 0 || !cursor.space()) {
      throw wrong();
    }
    cursor.name();
    cursor.space();
    if (cursor.take("PUBLIC")) {
      this.#literal(wrong);
      this.#literal(wrong);
    } else if (cursor.take("SYSTEM")) {
      this.#literal(wrong);
    }
    if (cursor.take("[")) {
      throw cursor.error(
        "the document type has an internal subset, which may define entities. Remove everything between [ and ].",
      );
    }
    if (!cursor.take(">")) {
      throw cursor.isAtEnd ? cursor.cutOff() : wrong();
    }
    this.#hasDoctype = true;
  }

  /** Skips quoted text and the whitespace around it. */
  #literal(wrong: () => Error): void {
    const cursor = this.#cursor;
    cursor.space();
    const quote = ['"', "'"].find((sign) => cursor.take(sign));
    if (quote === undefined) {
      throw cursor.isAtEnd ? cursor.cutOff() : wrong();
    }
    cursor.upTo(quote);
    cursor.space();
  }

  #instruction(): void {
    const cursor = this.#cursor;
    if (cursor.name().toLowerCase() === "xml") {
      throw cursor.error("<?xml is allowed only at the beginning.");
    }
    cursor.upTo("?>");
  }

  #startTag(): void {
    const cursor = this.#cursor;
    const name = cursor.name();
    const parent = this.#open.at(-1);
    if (parent === undefined && this.#elements > 0) {
      throw cursor.error("there is more than one root element.");
    }
    if (this.#open.length === maxDepth) {
      throw cursor.error(`more than ${maxDepth} elements are nested.`);
    }
    if (++this.#elements > maxElements) {
      throw cursor.error(`there are more than ${maxElements} elements. Send several reports.`);
    }
    const attributes = Attributes.read(cursor);
    const path = parent === undefined ? name : `${parent.path}/${name}`;
    const isEmpty = cursor.take("/>");
    if (!isEmpty) {
      cursor.expect(">");
      this.#open.push({ name, path });
    }
    this.#handler.open(path, attributes);
    if (isEmpty) {
      this.#handler.close(path);
    }
  }

  #endTag(): void {
    const cursor = this.#cursor;
    const name = cursor.name();
    cursor.space();
    cursor.expect(">");
    const open = this.#open.pop();
    if (open?.name !== name) {
      throw cursor.error(`</${name}> does not match the open element.`);
    }
    this.#handler.close(open.path);
  }
}
