/** A form of file that is no import, and what to send in its place. */
interface OtherForm {
  begins: RegExp;
  /** The end of a sentence that begins with "this is". */
  is: string;
  send: string;
}

const nmap = "Send what nmap -oX writes, as application/xml.";
const masscan = "Send what masscan -oX writes, as application/xml.";
const unpack = "Unpack it, and send what is in it.";

/** Packed files, by their first bytes as characters. */
const packed: readonly (readonly [begins: string, is: string])[] = [
  ["\x1f\x8b", "a gzip file"],
  ["PK\x03\x04", "a zip file"],
  ["PK\x05\x06", "an empty zip file"],
  ["\xfd7zXZ\0", "an xz file"],
  ["\x28\xb5\x2f\xfd", "a zstd file"],
  ["BZh", "a bzip2 file"],
];

/**
 * Files that people send in place of a report, by how they begin. Those of JSON may be whole, cut off, or have
 * the trailing comma that masscan leaves behind when it is interrupted (robertdavidgraham/masscan#314).
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
    is: "what nmap prints for people (-oN, -oG or the terminal), which is not read",
    send: nmap,
  },
  {
    begins: /^Host: \S+ \(.*?\)\t/,
    is: "greppable output of nmap (-oG), which is not read",
    send: nmap,
  },
  {
    begins: /^(#masscan\b|(open|closed|banner) \w+ \d+ [\d.:a-fA-F]+ \d+)/,
    is: "a list of masscan (-oL), which is not read",
    send: masscan,
  },
  {
    begins: /^(\[\s*)?(,\s*)?\{\s*"ip"\s*:\s*"[^"]*"\s*,\s*"timestamp"\s*:/,
    is: "the JSON of masscan (-oJ or -oD), which is not read",
    send: masscan,
  },
  {
    begins:
      /^(\[\s*)?\{[^{}[\]]{0,500}"(ip|host|saddr|daddr)"\s*:\s*"[^"]*"[^{}[\]]{0,500}"(port|sport)"\s*:/,
    is: "the JSON of another scanner, by ports and not by hosts, which is not read",
    send: nmap,
  },
  {
    begins: /^(saddr|ip|host|address|port)\w*,|^"?(saddr|ip)"?,/i,
    is: "a table (CSV), which is not read",
    send: nmap,
  },
  {
    begins: /^\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?([,;\t ][^\n]*)?(\r?\n|$)/,
    is: "a list of addresses, which is not read",
    send: nmap,
  },
];

/** How much of a file tells its form, in characters. */
const looked = 2048;

/**
 * What a file is that is no import, and what to send, by its beginning; undefined where that does not tell.
 * @param text of the file, or its first bytes as characters
 */
export function otherFormOf(text: string): { is: string; send: string } | undefined {
  const start = text.slice(0, looked).replace(/^[\ufeff\s]+/, "");
  const archive = packed.find(([begins]) => start.startsWith(begins));
  return archive
    ? { is: archive[1], send: unpack }
    : forms.find(({ begins }) => begins.test(start));
}

/** The first bytes of a file, each as a character. */
export const beginningOf = (bytes: Uint8Array): string =>
  String.fromCharCode(...bytes.subarray(0, looked)).replace(/^\xef\xbb\xbf/, "");
