import { expect, test } from "vitest";
import { hostOf, reportOf, tryRead } from "./reading.ts";

const small = 256 * 1024;
const large = 8 * small;

const start = '<nmaprun scanner="nmap">';
const repeat = (part: string, bytes: number) => part.repeat(Math.ceil(bytes / part.length));
const port = '<port protocol="tcp" portid="80"><state state="open"/></port>';

/** Documents of a given size that are known to slow parsers down. */
const documents: Record<string, (bytes: number) => string> = {
  "tags that only begin": (bytes) => start + repeat("<", bytes),
  "ampersands in text": (bytes) => start + repeat("&", bytes),
  "references in text": (bytes) => start + repeat("&#10;", bytes),
  "references in attributes": (bytes) =>
    reportOf(repeat(`<a b="${"&lt;".repeat(10_000)}"/>`, bytes)),
  "references that do not end": (bytes) => start + repeat("&#1", bytes),
  "a quote that does not end": (bytes) => `${start}<a b="${repeat("x", bytes)}`,
  "alternating quotes": (bytes) => start + repeat(`<a b="'" c='"'/>`, bytes),
  "a comment that does not end": (bytes) => `${start}<!--${repeat("- ", bytes)}`,
  "comment starts": (bytes) => start + repeat("<!--", bytes),
  "short comments": (bytes) => reportOf(repeat("<!-- -->", bytes)),
  "CDATA that does not end": (bytes) => `${start}<![CDATA[${repeat("]]", bytes)}`,
  "short CDATA": (bytes) => start + repeat("<![CDATA[]]>", bytes),
  "brackets in text": (bytes) => start + repeat("]]", bytes),
  "a name that does not end": (bytes) => `${start}<${repeat("a", bytes)}`,
  "blanks in a tag": (bytes) => `${start}<a${repeat(" ", bytes)}`,
  "blanks in a declaration": (bytes) => `<?xml${repeat(" ", bytes)}`,
  "blanks before the root": (bytes) => repeat(" ", bytes),
  instructions: (bytes) => start + repeat("<?x?>", bytes),
  "line breaks, and an error at the end": (bytes) => `${start}${repeat("\n", bytes)}&`,
  "elements without content": (bytes) => start + repeat("<a/>", bytes),
  "alternating text and elements": (bytes) => start + repeat("x<abcdefghi/>", bytes),
  "deep nesting with long names": (bytes) =>
    start +
    repeat(`${`<${"n".repeat(60)}>`.repeat(30)}${`</${"n".repeat(60)}>`.repeat(30)}`, bytes),
  "one host with many ports": (bytes) =>
    reportOf(hostOf("192.0.2.1", `<ports>${repeat(port, bytes)}</ports>`)),
  "the same host many times": (bytes) =>
    reportOf(repeat(hostOf("192.0.2.1", `<ports>${port}</ports>`), bytes)),
  "many addresses on one host": (bytes) =>
    reportOf(
      hostOf(
        "192.0.2.1",
        Array.from({ length: bytes / 50 }, (_, index) =>
          `<address addr="fe80::${index.toString(16)}%eth0" addrtype="ipv6"/>`.padEnd(50),
        ).join(""),
      ),
    ),
  "many lists of scanned ports": (bytes) =>
    reportOf(repeat('<scaninfo type="syn" protocol="tcp" services="1-65535"/>', bytes)),
  "a long list of scanned ports": (bytes) =>
    reportOf(
      repeat(`<scaninfo type="syn" protocol="sctp" services="${"1,".repeat(90_000)}"/>`, bytes),
    ),
};

/**
 * The shortest duration of several attempts, in milliseconds. Other load on the machine can only
 * make an attempt take longer.
 */
function timeOf(text: string, tries: number): number {
  const bytes = new TextEncoder().encode(text);
  let shortest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < tries; round++) {
    const before = performance.now();
    tryRead(bytes);
    shortest = Math.min(shortest, performance.now() - before);
  }
  return shortest;
}

test.each(Object.entries(documents))("parses %s in linear time", (_, documentOf) => {
  timeOf(documentOf(small), 1);
  const short = timeOf(documentOf(small), 3);
  const long = timeOf(documentOf(large), 2);
  // Quadratic time would be 64 times as long. The clock in workerd may be coarse.
  expect(long).toBeLessThan(40 * (short + 5));
});
