/** A file format that cannot be imported, and what to send instead. */
interface OtherForm {
  begins: RegExp;
  /** The end of a sentence that starts with "this is". */
  is: string;
  send: string;
}

const nmap = "Send the output of nmap -oX as application/xml.";
const masscan = "Send the output of masscan -oX as application/xml.";
const unpack = "Unpack it and send its content.";

/** Compressed files, by their first bytes as characters. */
const packed: readonly (readonly [begins: string, is: string])[] = [
  ["\x1f\x8b", "a gzip file"],
  ["PK\x03\x04", "a zip file"],
  ["PK\x05\x06", "a zip file"],
  ["\xfd7zXZ\0", "an xz file"],
  ["\x28\xb5\x2f\xfd", "a zstd file"],
  ["BZh", "a bzip2 file"],
];

/**
 * Files that users send instead of a report, identified by their beginning. JSON files may be
 * complete or truncated, or have the trailing comma of an interrupted masscan
 * (robertdavidgraham/masscan#314).
 */
const forms: readonly OtherForm[] = [
  { begins: /^%PDF-/, is: "a PDF file", send: nmap },
  { begins: /^\{\\rtf/, is: "an RTF file of a text processor", send: nmap },
  {
    begins: /^(<\?xml[^>]*>\s*)?(<!--((?!-->).)*-->\s*)*<(!DOCTYPE\s+html|html)\b/is,
    is: "an HTML page",
    send: nmap,
  },
  {
    begins: /^(Starting Nmap |Nmap scan report for |# Nmap \S+ scan initiated|Nmap done: )/,
    is: "nmap output for people (-oN, -oG or the terminal)",
    send: nmap,
  },
  {
    begins: /^Host: \S+ \(.*?\)\t/,
    is: "greppable nmap output (-oG)",
    send: nmap,
  },
  {
    begins: /^(#masscan\b|(open|closed|banner) \w+ \d+ [\d.:a-fA-F]+ \d+)/,
    is: "a masscan list (-oL)",
    send: masscan,
  },
  {
    begins: /^(\[\s*)?(,\s*)?\{\s*"ip"\s*:\s*"[^"]*"\s*,\s*"timestamp"\s*:/,
    is: "masscan JSON (-oJ or -oD)",
    send: masscan,
  },
  {
    begins: /^(\[\s*)?\{(?=[^{}[\]]*"(ip|host|saddr|daddr)"\s*:\s*")[^{}[\]]*"(port|sport)"\s*:/,
    is: "the JSON of another scanner, organized by port instead of by host",
    send: nmap,
  },
  {
    begins: /^(saddr|ip|host|address|port)\w*,|^"?(saddr|ip)"?,/i,
    is: "a table (CSV)",
    send: nmap,
  },
  {
    begins: /^\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?([,;\t ][^\n]*)?(\r?\n|$)/,
    is: "a list of addresses",
    send: nmap,
  },
];

/** Length of the part of a file that identifies its format, in characters. */
const identifyingLength = 2048;

/**
 * Identifies, by its beginning, a file that cannot be imported, and returns what to send instead.
 * Returns undefined if the format is unknown.
 * @param text the file's text, or its first bytes as characters
 */
export function otherFormOf(text: string): { is: string; send: string } | undefined {
  const start = text.slice(0, identifyingLength).replace(/^[\ufeff\s]+/, "");
  const archive = packed.find(([begins]) => start.startsWith(begins));
  return archive
    ? { is: archive[1], send: unpack }
    : forms.find(({ begins }) => begins.test(start));
}

/** The first bytes of a file as characters. */
export const beginningOf = (bytes: Uint8Array): string =>
  String.fromCharCode(...bytes.subarray(0, identifyingLength)).replace(/^\xef\xbb\xbf/, "");
