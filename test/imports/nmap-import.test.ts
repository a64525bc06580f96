import { beforeAll, describe, expect, it } from "vitest";
import { importResult } from "../../src/imports/model.ts";
import { type Imports, openImports } from "./helpers.ts";
import { report } from "./nmap/reading.ts";

let network: Imports;
beforeAll(async () => {
  network = await openImports();
});

const post = (body: string, mediaType = "application/xml") =>
  network.api.send("POST", `/api/v1/networks/${network.network_id}/imports`, {
    key: network.organization.keys.member,
    headers: { "Content-Type": mediaType },
    body,
  });

describe("POST /api/v1/networks/{id}/imports with XML", () => {
  it.each(["application/xml", "text/xml; charset=utf-8"])(
    "accepts the output of nmap -oX as %s, and a second import changes nothing",
    async (mediaType) => {
      const own = await openImports();
      const send = async () => {
        const answer = await own.api.send("POST", `/api/v1/networks/${own.network_id}/imports`, {
          key: own.organization.keys.member,
          headers: { "Content-Type": mediaType },
          body: report("lan"),
        });
        expect(answer).toMatchObject({ status: 200 });
        return importResult.parse(Object(answer.body).data);
      };
      expect(await send()).toMatchObject({ counts: { created: 2, changed: 0, failed: 0 } });
      const hosts = await own.list("hosts");
      expect(hosts.find(({ name }) => name === "storage.example")).toMatchObject({
        source: { type: "Import" },
        ports: expect.arrayContaining([expect.objectContaining({ number: 993 })]),
      });
      expect(hosts).toHaveLength(2);
      expect(await send()).toMatchObject({ counts: { created: 0, unchanged: 2, failed: 0 } });
    },
  );

  it("changes nothing when no host was up", async () => {
    const answer = await post(report("list"));
    expect([answer.status, Object(answer.body).data]).toMatchObject([
      200,
      { counts: { created: 0, changed: 0, unchanged: 0, failed: 0 }, hosts: [] },
    ]);
  });

  it("rejects truncated XML, and returns the line", async () => {
    const text = report("lan");
    expect(await post(text.slice(0, text.length / 2))).toMatchObject({
      status: 400,
      body: { code: "request_malformed_xml", params: { line: expect.any(Number) } },
    });
    expect(await network.list("hosts")).toEqual([]);
  });

  it("rejects more rows than an import's maximum, as with JSON", async () => {
    const ports = Array.from(
      { length: 1000 },
      (_, at) =>
        `<port protocol="tcp" portid="${at + 1}"><state state="open" reason="syn-ack" reason_ttl="0"/></port>`,
    );
    const hosts = Array.from(
      { length: 34 },
      (_, at) =>
        `<host><status state="up" reason="echo-reply" reason_ttl="0"/><address addr="192.0.2.${at + 1}" addrtype="ipv4"/><ports>${ports.join("")}</ports></host>`,
    );
    const file = `<nmaprun scanner="nmap">${hosts.join("")}<runstats><finished time="1776873640"/></runstats></nmaprun>`;
    expect(await post(file)).toMatchObject({
      status: 400,
      body: { code: "validation_failed", params: { issues: [{ path: "body.hosts" }] } },
    });
  });

  it("rejects another media type", async () => {
    expect(await post(report("lan"), "text/plain")).toMatchObject({
      status: 415,
      body: {
        code: "request_unsupported_media_type",
        error:
          "Send the body with the header Content-Type: application/json, application/xml or text/xml, and without a Content-Encoding.",
        params: { media_types: ["application/json", "application/xml", "text/xml"] },
      },
    });
  });
});
