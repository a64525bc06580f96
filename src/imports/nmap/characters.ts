import { malformed } from "./problem.ts";

/** The supported encodings, by their names in the Encoding Standard. */
const readable: ReadonlySet<string> = new Set([
  "utf-8",
  "utf-16le",
  "utf-16be",
  "windows-1252",
  "iso-8859-15",
]);
const readableNames = "UTF-8, UTF-16, ISO-8859-1, ISO-8859-15, Windows-1252 and US-ASCII";

/** @throws {RangeError} if the label does not name an encoding */
const newDecoder = (label: string) => new TextDecoder(label, { fatal: true, ignoreBOM: false });
type Decoder = ReturnType<typeof newDecoder>;

/** Maximum length of an XML declaration, in bytes. */
const maxDeclaration = 256;
const declaration = /^[\t\n\r ]*<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"'<>]{0,64})["']/;

/**
 * Decodes a document and removes its byte order mark. The encoding is determined by the byte order
 * mark, the media type or the XML declaration, in that order, and defaults to UTF-8 (RFC 7303,
 * section 3.2). Labels are those of the Encoding Standard
 * (https://encoding.spec.whatwg.org/#names-and-labels), in which ISO-8859-1 and US-ASCII mean
 * Windows-1252.
 * @param charset the media type's `charset` parameter; null if absent
 * @throws {ApiError} `request_malformed_xml` if the encoding is not supported, or the bytes are not
 * valid in that encoding
 */
export function decodeXml(bytes: Uint8Array, charset: string | null = null): string {
  const wide = wideEncodingOf(bytes);
  if (wide !== null) {
    return new TextDecoder(wide).decode(bytes);
  }
  const start = bytes.subarray(0, maxDeclaration);
  const declared = declaration.exec(String.fromCharCode(...start))?.[1] ?? null;
  for (const label of [charset, declared]) {
    const decoder = label === null || isWide(label) ? null : decoderOf(label);
    // Clients often add charset=utf-8 by default. A file that is not valid UTF-8 is decoded using
    // the encoding that it declares.
    const text = decoder === null ? null : decoded(decoder, bytes);
    if (text !== null) {
      return text;
    }
  }
  const text = decoded(newDecoder("utf-8"), bytes);
  if (text === null) {
    // The error has no position, so a lenient decoder locates the first invalid character.
    const lenient = new TextDecoder().decode(bytes);
    const problem =
      'the body is not UTF-8. Send it in UTF-8, or declare its encoding, as in <?xml version="1.0" encoding="ISO-8859-1"?>.';
    throw malformed(lenient, lenient.indexOf("\ufffd"), problem);
  }
  return text;
}

/** Detects UTF-16 by its byte order mark, or by the `<` with which every document starts. */
function wideEncodingOf([first, second]: Uint8Array): "utf-16le" | "utf-16be" | null {
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0x00)) {
    return "utf-16le";
  }
  return (first === 0xfe && second === 0xff) || (first === 0x00 && second === 0x3c)
    ? "utf-16be"
    : null;
}

/**
 * True for labels of UTF-16. If the bytes do not start like UTF-16, the file was converted after it
 * was written.
 */
const isWide = (label: string) => /^\s*(utf-?16|ucs-?2|unicode)/i.test(label);

function decoderOf(label: string): Decoder {
  const decoder = knownDecoder(label);
  if (decoder === null || !readable.has(decoder.encoding)) {
    const problem = `the body is in the encoding ${JSON.stringify(label)}, which is not supported. Send it in UTF-8; supported are ${readableNames}.`;
    throw malformed("", 0, problem);
  }
  return decoder;
}

function knownDecoder(label: string): Decoder | null {
  try {
    return newDecoder(label);
  } catch {
    return null;
  }
}

function decoded(decoder: Decoder, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
