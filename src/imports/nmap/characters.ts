import { malformed } from "./problem.ts";

/** XML 1.0, section 2.2 [2], less what a decoder never returns: half surrogates. */
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** Whether XML 1.0 allows a code point in a document, also by its number. */
export const isXmlCharacter = (code: number) =>
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  (code >= 0x10000 && code <= 0x10ffff) ||
  code === 0x09 ||
  code === 0x0a ||
  code === 0x0d;

/**
 * The text of a document in UTF-8, without its byte order mark.
 * @throws {ApiError} `request_malformed_xml` if it is not UTF-8, or has a character that XML forbids
 */
export function decodeXml(bytes: Uint8Array): string {
  if (isUtf16(bytes)) {
    throw malformed("", 0, "the body is in UTF-16. Send it in UTF-8.");
  }
  const text = decodeUtf8(bytes);
  const at = text.search(forbidden);
  if (at !== -1) {
    const digits = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0");
    throw malformed(text, at, `XML forbids the character U+${digits}. Remove it.`);
  }
  return text;
}

/** UTF-16 with a byte order mark, or without one and beginning with `<`, as every document does. */
const isUtf16 = ([first, second]: Uint8Array) =>
  (first === 0xfe && second === 0xff) ||
  (first === 0xff && second === 0xfe) ||
  (first === 0x00 && second === 0x3c) ||
  (first === 0x3c && second === 0x00);

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    // The error does not say where; what a lenient decoder replaces first does.
    const text = new TextDecoder().decode(bytes);
    throw malformed(text, text.indexOf("\ufffd"), "the body is not UTF-8. Send it in UTF-8.");
  }
}
