import { describe, expect, test } from "vitest";
import { maxAttributeLength, maxAttributes } from "../../../src/imports/nmap/attributes.ts";
import { maxNameLength } from "../../../src/imports/nmap/cursor.ts";
import { maxDepth, maxElements, readXml } from "../../../src/imports/nmap/xml.ts";
import { hostOf, read, refusal, report, reportOf } from "./reading.ts";

/** The paths of a document's elements in document order, with the value of the attribute `a`. */
function pathsOf(text: string): string[] {
  const seen: string[] = [];
  readXml(text, {
    open: (path, attributes) => seen.push(`${path}:${attributes.get("a") ?? ""}`),
    close: (path) => seen.push(`/${path}`),
  });
  return seen;
}

const bytes = (...values: number[]) => new Uint8Array(values);
const utf8 = (text: string) => new TextEncoder().encode(text);

describe("a document", () => {
  test("opens and closes its elements in order", () => {
    expect(pathsOf("<a><b a='1'/><b a = \"2\" ><c/></b ></a>\n")).toEqual([
      "a:",
      "a/b:1",
      "/a/b",
      "a/b:2",
      "a/b/c:",
      "/a/b/c",
      "/a/b",
      "/a",
    ]);
  });

  test("may have a declaration, a document type, instructions, comments, text and CDATA", () => {
    const text = `<?xml version="1.0" encoding='utf-8' standalone="yes"?>
      <?xml-stylesheet href="x>y"?><!-- <a> & --><!DOCTYPE nmaprun >
      <a>one &amp; &#50;<![CDATA[ <b> & ]] > ]]><!-- - --><?x?></a><!----><?x y?>`;
    expect(pathsOf(text)).toEqual(["a:", "/a"]);
  });

  test("may have references to the five predefined entities and to characters", () => {
    const value = "&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#xe9;&#x1F600;&#10;&#xD;&#0000065;&amp;lt;";
    expect(pathsOf(`<a a="${value}"/>`)).toEqual([`a:<>&"'ABé😀\n\rA&lt;`, "/a"]);
  });

  test.each([
    [
      "a public identifier",
      'PUBLIC "-//IDN nmap.org//DTD Nmap XML 1.04//EN" "https://svn.nmap.org/nmap/docs/nmap.dtd"',
    ],
    ["a system identifier", "SYSTEM 'nmap.dtd'"],
    ["identifiers on several lines", 'PUBLIC\n\t"-//x"\n\t"http://[::1]/x?[y]>"\n'],
  ])("may have a document type with %s", (_, identifier) => {
    expect(pathsOf(`<!DOCTYPE nmaprun ${identifier}><a/>`)).toEqual(["a:", "/a"]);
  });

  test("may have blank lines before its declaration", () => {
    expect(pathsOf('\n \r\n<?xml version="1.0"?><a/>')).toEqual(["a:", "/a"]);
  });

  test.each([
    "&#0;",
    "&#8;",
    "&#x1f;",
    "&#xd800;",
    "&#xDFFF;",
    "&#xfffe;",
    "&#xFFFF;",
    "\0",
    "\u001b",
    "\uffff",
  ])("may contain %j from a device, although XML forbids it", (character) => {
    const [read] = pathsOf(`<a a="x${character}y"/>`);
    expect(read).toMatch(/^a:x.y$/s);
    expect(pathsOf(`<a><!--${character}-->${character}</a>`)).toEqual(["a:", "/a"]);
  });

  test("has spaces instead of line breaks in an attribute", () => {
    expect(pathsOf('<a a="1\n2\t3"/>')).toEqual(["a:1 2 3", "/a"]);
  });

  test("may begin with a byte order mark", () => {
    expect(read(`\ufeff${report("ping")}`)).toEqual(read(report("ping")));
  });
});

describe("the error for a malformed document has the line:", () => {
  test.each([
    ["nothing", "", 1, "is empty"],
    ["only blanks", "\n\n", 1, "is empty"],
    [
      "nmap's terminal output",
      "Starting Nmap 7.93 ( https://nmap.org )\n",
      1,
      "Send the output of nmap -oX",
    ],
    ["a part of it", "\nNmap scan report for 192.0.2.1", 1, "Send the output of nmap -oX"],
    ["the output of nmap -oG", "# Nmap 7.93 scan initiated", 1, "Send the output of nmap -oX"],
    ["JSON", '{"hosts": []}', 1, "Content-Type: application/json"],
    ["only a comment", "\n<!-- -->", 2, "truncated"],
    ["text before the root", "\nx<nmaprun/>", 2, "outside"],
    ["text after the root", `${reportOf("")}\nx`, 1, "outside"],
    ["a second root", `${reportOf("")}\n<nmaprun/>`, 2, "more than one root"],
    ["CDATA outside the root", "<![CDATA[x]]><nmaprun/>", 1, "a name is missing"],
    ["a wrong end tag", reportOf("\n<a>\n</b>"), 3, "</b> does not match"],
    ["an end tag at the beginning", "</nmaprun>", 1, "</nmaprun> does not match"],
    ["an end tag with attributes", reportOf('<a>\n</a b="">'), 2, '">" is missing'],
    ["an attribute twice", reportOf('\n<a b="1"\nb="2"/>'), 3, "b is repeated"],
    ["an attribute without a value", reportOf("\n<a b/>"), 2, '"=" is missing'],
    ["an attribute without quotes", reportOf("\n<a b=1/>"), 2, "a quote after b= is missing"],
    ["attributes without a blank", reportOf('\n<a b="1"c="2"/>'), 2, '">" is missing'],
    ["< in an attribute", reportOf('<a b="\n<"/>'), 2, '"<" is not allowed in the attribute b'],
    ["& in an attribute", reportOf('<a b="\n&"/>'), 2, '"&" does not begin'],
    ["& in text", reportOf("\n & "), 2, '"&" does not begin'],
    ["]]> in text", reportOf("\n]]>"), 2, '"]]>" is not allowed'],
    ["-- in a comment", reportOf("\n<!-- -- -->"), 2, '">" is missing'],
    ["a comment that ends with --->", reportOf("\n<!-- --->"), 2, '">" is missing'],
    ["an instruction without a name", reportOf("\n<? x?>"), 2, "a name is missing"],
    ["a space before a name", reportOf("\n< a/>"), 2, "a name is missing"],
    ["a name of digits", reportOf("\n<1/>"), 2, "a name is missing"],
    ["a name beyond ASCII", reportOf("\n<é/>"), 2, "a name is missing"],
    [
      "a declaration after a comment",
      `<!---->\n<?xml version="1.0"?>${reportOf("")}`,
      2,
      "only at the beginning",
    ],
    [
      "a declaration inside the root",
      reportOf('\n<?XML version="1.0"?>'),
      2,
      "only at the beginning",
    ],
    ["a version other than 1.0", `<?xml version="1.1"?>${reportOf("")}`, 1, 'version="1.0"'],
    ["a declaration without a version", `<?xml ?>${reportOf("")}`, 1, 'version="1.0"'],
    ["another kind of markup", reportOf("\n<!ELEMENT a ANY>"), 2, "a name is missing"],
  ])("%s", (_, text, line, problem) => {
    const refused = refusal(text);
    expect(refused.problem).toContain(problem);
    expect(refused.line).toBe(line);
  });
});

describe("rejects the attacks that XML allows:", () => {
  const laughs = Array.from(
    { length: 9 },
    (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
  ).join("");
  const body = reportOf(hostOf("&x;"));

  test.each([
    ["a billion laughs", `<!DOCTYPE nmaprun [<!ENTITY l0 "ha">${laughs}]>${reportOf("&l9;")}`],
    [
      "an entity that refers to a file",
      `<!DOCTYPE nmaprun [<!ENTITY x SYSTEM "file:///etc/passwd">]>${body}`,
    ],
    [
      "an entity that refers to a URL",
      `<!DOCTYPE nmaprun [<!ENTITY x SYSTEM "http://[::1]/">]>${body}`,
    ],
    ["a parameter entity", `<!DOCTYPE nmaprun [<!ENTITY % x SYSTEM "x"> %x;]>${body}`],
    ["an empty subset", `<!DOCTYPE nmaprun []>${reportOf("")}`],
    [
      "a subset after an identifier",
      `<!DOCTYPE nmaprun PUBLIC "-//x" "http://[::1]/" [<!ENTITY x "y">]>${body}`,
    ],
  ])("%s", (_, text) => {
    expect(refusal(text).problem).toContain("internal subset");
  });

  test.each([
    ["two document types", `<!DOCTYPE nmaprun><!DOCTYPE nmaprun>${reportOf("")}`],
    ["a document type inside the root", reportOf("<!DOCTYPE nmaprun>")],
    ["a document type after the root", `${reportOf("")}<!DOCTYPE nmaprun>`],
    ["a public identifier alone", `<!DOCTYPE nmaprun PUBLIC "-//x">${reportOf("")}`],
    ["an identifier without quotes", `<!DOCTYPE nmaprun SYSTEM nmap.dtd>${reportOf("")}`],
  ])("%s", (_, text) => {
    expect(refusal(text).problem).toContain("the document type must be <!DOCTYPE nmaprun>");
  });

  test.each([
    "&x;",
    "&nbsp;",
    "&AMP;",
    "&amp",
    "&;",
    "&#;",
    "&#x;",
    "&# 65;",
    "&#X41;",
    "&#-1;",
    "&#6 5;",
    "&#x110000;",
    "&#1114112;",
    "&#00000065;",
    "&#x0000041;",
    "&#99999999999999999999;",
  ])("the reference %s", (reference) => {
    const problem = expect.stringContaining('"&" does not begin');
    expect(refusal(reportOf(hostOf(reference)))).toEqual({ line: 1, problem });
    expect(refusal(reportOf(`\n${reference}`))).toEqual({ line: 2, problem });
  });

  test.each([
    ["a byte that is not UTF-8", bytes(0x3c, 0x61, 0xff), "not UTF-8"],
    ["an overlong <", bytes(0xc0, 0xbc, 0x61), "not UTF-8"],
    ["half a surrogate", bytes(0xed, 0xa0, 0x80), "not UTF-8"],
    ["a truncated character", bytes(0x3c, 0xc3), "not UTF-8"],
    ["UTF-7", utf8('<?xml version="1.0" encoding="UTF-7"?><a/>'), "UTF-7"],
    ["an unknown encoding", utf8("<?xml version='1.0' encoding='x-y'?><a/>"), "x-y"],
    ["an empty encoding", utf8('<?xml version="1.0" encoding=""?><a/>'), "not supported"],
  ])("%s", (_, body, problem) => {
    expect(refusal(body).problem).toContain(problem);
  });

  test("the error for invalid UTF-8 has the line", () => {
    expect(refusal(bytes(0x3c, 0x0a, 0x0a, 0x80)).line).toBe(3);
  });
});

describe("limits a document:", () => {
  test.each([
    ["depth", maxDepth, (depth: number) => "<a>".repeat(depth) + "</a>".repeat(depth)],
    [
      "depth of an empty element",
      maxDepth,
      (depth: number) => `${"<a>".repeat(depth - 1)}<a/>${"</a>".repeat(depth - 1)}`,
    ],
    ["elements", maxElements, (count: number) => `<a>${"<b/>".repeat(count - 1)}</a>`],
    [
      "attributes of an element",
      maxAttributes,
      (count: number) =>
        `<a ${Array.from({ length: count }, (_, index) => `a${index}=""`).join(" ")}/>`,
    ],
    [
      "characters of an attribute",
      maxAttributeLength,
      (length: number) => `<a b="${"x".repeat(length)}"/>`,
    ],
    [
      "characters of an element's name",
      maxNameLength,
      (length: number) => `<${"a".repeat(length)}/>`,
    ],
    [
      "characters of an attribute's name",
      maxNameLength,
      (length: number) => `<a ${"b".repeat(length)}=""/>`,
    ],
  ])("%s", (_, bound, documentOf) => {
    expect(() => pathsOf(documentOf(bound))).not.toThrow();
    expect(() => pathsOf(documentOf(bound + 1))).toThrow(`more than ${bound}`);
  });
});
