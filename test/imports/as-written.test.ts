import { describe, expect, test } from "vitest";
import { importResult } from "../../src/imports/model.ts";
import { type Imports, openImports } from "./helpers.ts";
import { hostOf, report, reportOf } from "./nmap/reading.ts";

/** Sends a file unchanged. */
const post = (network: Imports, body: string | Uint8Array, mediaType = "application/xml") =>
  network.api.send("POST", `/api/v1/networks/${network.network_id}/imports`, {
    key: network.organization.keys.member,
    headers: { "Content-Type": mediaType },
    body,
  });

/** Imports a file, and returns the result. */
async function take(network: Imports, body: string | Uint8Array, mediaType?: string) {
  const answer = await post(network, body, mediaType);
  expect(answer).toMatchObject({ status: 200 });
  return importResult.parse(Object(answer.body).data);
}

const latin1 = (text: string) =>
  Uint8Array.from(text, (character) => Math.min(character.charCodeAt(0), 255));
const utf16 = (text: string, isLittle: boolean) =>
  Uint8Array.from(
    [...`\ufeff${text}`].flatMap((character) => {
      const code = character.charCodeAt(0);
      return isLittle ? [code & 255, code >> 8] : [code >> 8, code & 255];
    }),
  );

const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>`;
const named = reportOf(
  hostOf("192.0.2.7", '<hostnames><hostname name="Müller" type="PTR"/></hostnames>'),
);

describe("an nmap file is accepted", () => {
  test("with a public document type, which is not fetched", async () => {
    const network = await openImports();
    expect(await take(network, report("public-doctype"))).toMatchObject({ counts: { created: 1 } });
  });

  test.each([
    ["ISO-8859-1", latin1(declared("iso-8859-1") + named)],
    ["Windows-1252, in capitals", latin1(declared("WINDOWS-1252") + named)],
    [
      "UTF-8 with a byte order mark",
      new TextEncoder().encode(`\ufeff${declared("UTF-8")}${named}`),
    ],
    ["UTF-16, little-endian", utf16(declared("UTF-16") + named, true)],
    ["UTF-16, big-endian", utf16(declared("UTF-16") + named, false)],
    ["UTF-16 declared as UTF-8, as some shells write it", utf16(declared("UTF-8") + named, true)],
    ["UTF-16 without a byte order mark", utf16(declared("UTF-16") + named, true).subarray(2)],
    ["US-ASCII with references", latin1(declared("us-ascii") + named.replace("ü", "&#xfc;"))],
    ["UTF-8 after blank lines", new TextEncoder().encode(`\n\n${declared("UTF-8")}${named}`)],
  ])("in %s", async (_, bytes) => {
    const network = await openImports();
    expect(await take(network, bytes)).toMatchObject({ counts: { created: 1 } });
    expect(await network.list("hosts")).toMatchObject([{ hostname: "Müller" }]);
  });

  test("in the charset of its media type", async () => {
    const network = await openImports();
    const type = 'text/xml; charset="ISO-8859-1"';
    expect(await take(network, latin1(named), type)).toMatchObject({ counts: { created: 1 } });
    expect(await network.list("hosts")).toMatchObject([{ hostname: "Müller" }]);
  });

  test("without its garbled details, which are reported as issues", async () => {
    const network = await openImports();
    expect(await take(network, report("garbled-service"))).toMatchObject({
      counts: { created: 2, failed: 0 },
      hosts: [
        {
          outcome: "created",
          issues: expect.arrayContaining([
            expect.objectContaining({ path: "hosts[0].ports[0].service.name" }),
          ]),
        },
        { outcome: "created", issues: [] },
      ],
    });
    expect(await network.list("services")).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ name: "ife-biteP" })]),
    );
    expect(await take(network, report("garbled-service"))).toMatchObject({
      counts: { unchanged: 2 },
    });
  });

  test.each(["&#0;", "&#8;", "&#xfffe;", "&#xd800;", "\0", "\u001b", "\ufffe"])(
    "except for a name with the character %j, which is an issue",
    async (character) => {
      const network = await openImports();
      const names = `<hostnames><hostname name="a${character}b" type="PTR"/></hostnames>`;
      const result = await take(network, reportOf(hostOf("192.0.2.7", names)));
      expect(result).toMatchObject({ counts: { created: 1 } });
      expect(result.hosts[0]?.issues.map(({ path }) => path)).toContain("hosts[0].hostname");
    },
  );
});

test("a port whose state nmap could not determine does not end a binding", async () => {
  const network = await openImports();
  await take(network, report("udp-open"));
  expect(await network.list("bindings")).toHaveLength(2);
  expect(await take(network, report("udp-no-response"))).toMatchObject({
    counts: { unchanged: 1 },
  });
  expect(await network.list("bindings")).toHaveLength(2);
});

describe("if a body is not exactly one report, the error names what was sent and the format to send:", () => {
  const problemOf = async (body: string | Uint8Array, mediaType: string) => {
    const answer = await post(await openImports(), body, mediaType);
    expect(answer).toMatchObject({ status: 400 });
    return String(Object(answer.body).error);
  };
  const masscan =
    '{   "ip": "10.0.0.5",   "timestamp": "1764100000", "ports": [ {"port": 22, "proto": "tcp", "status": "open", "reason": "syn-ack", "ttl": 64} ] }';

  test.each([
    ["masscan's JSON", `[\n${masscan}\n]`, "masscan -oX"],
    ["masscan's JSON with a trailing comma", `[\n${masscan},\n]\n`, "masscan -oX"],
    ["masscan's JSON without its end", `[\n${masscan},\n`, "masscan -oX"],
    ["masscan's JSON without its beginning", `${masscan},\n${masscan}\n]`, "masscan -oX"],
    [
      "masscan's JSON, one object per line",
      '{"ip":"10.0.0.5","timestamp":"1764100000","port":80,"proto":"tcp","rec_type":"status","data":{"status":"open","reason":"syn-ack","ttl":64}}\n',
      "masscan -oX",
    ],
    ["masscan's list", "#masscan\nopen tcp 80 10.0.0.5 1764100000\n# end\n", "masscan -oX"],
    ["naabu's JSON", '{"host":"10.0.0.5","ip":"10.0.0.5","port":80}\n', "nmap -oX"],
    ["naabu's list", "10.0.0.5:80\n10.0.0.6:22\n", "nmap -oX"],
    ["zmap's list", "10.0.0.5\n10.0.0.6\n", "nmap -oX"],
    ["zmap's table", "saddr,sport\n10.0.0.5,80\n", "nmap -oX"],
    ["nmap's terminal", "Starting Nmap 7.95 ( https://nmap.org )\n", "nmap -oX"],
    ["nmap's greppable output", "Host: 10.0.0.5 ()\tStatus: Up\n", "nmap -oX"],
    ["nmap's normal output", "# Nmap 7.95 scan initiated Thu as: nmap -oN x\n", "nmap -oX"],
    ["a page", "<!DOCTYPE html>\n<html><body></body></html>", "HTML"],
    ["a page without a type", "<html><head></head></html>", "HTML"],
    ["a text processor's file", "{\\rtf1\\ansi <?xml version=1.0?>}", "RTF"],
    ["a gzip file", new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), "gzip"],
    ["a zip file", new Uint8Array([0x50, 0x4b, 3, 4, 0x14, 0]), "zip"],
    ["an empty zip file", new Uint8Array([0x50, 0x4b, 5, 6, 0, 0]), "zip"],
  ])("%s", async (_, body, sentence) => {
    expect(await problemOf(body, "application/xml")).toContain(sentence);
    expect(await problemOf(body, "application/json")).toContain(sentence);
  });

  test("several reports in sequence, complete or truncated", async () => {
    const one = `${declared("UTF-8")}\n<!DOCTYPE nmaprun>\n${named}\n`;
    for (const body of [one + one, named + named, one.slice(0, one.length - 40) + one]) {
      expect(await problemOf(body, "application/xml")).toMatch(/2 nmap reports.*--append-output/);
    }
  });

  test("another program's XML, by its root element", async () => {
    const nessus = "<?xml version='1.0'?><NessusClientData_v2></NessusClientData_v2>";
    expect(await problemOf(nessus, "application/xml")).toContain("<NessusClientData_v2>");
  });

  test("an unsupported encoding, with the supported ones", async () => {
    const text = reportOf(hostOf("192.0.2.7"));
    for (const [body, type] of [
      [declared("KOI8-R") + text, "application/xml"],
      [text, "application/xml; charset=koi8-r"],
    ] as const) {
      const problem = await problemOf(body, type);
      expect(problem.toLowerCase()).toContain("koi8-r");
      expect(problem).toContain("ISO-8859-1");
    }
  });

  test("each format with the other's media type", async () => {
    expect(await problemOf(report("ping"), "application/json")).toContain("application/xml");
    expect(await problemOf('{"hosts": []}', "application/xml")).toContain("application/json");
  });

  test("a document type with an internal subset, which could define entities", async () => {
    const subset = `<!DOCTYPE nmaprun PUBLIC "-//x" "http://[::1]/" [<!ENTITY x SYSTEM "file:///x">]>`;
    expect(await problemOf(subset + reportOf(""), "application/xml")).toContain("internal subset");
  });
});
