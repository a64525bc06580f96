import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  groupName,
  resolvableName,
  safeName,
  UniqueNames,
} from "../../../src/inventory/exports/names.ts";
import { hostileNames } from "./hostile.ts";

const id = "e1e74882-b978-405e-89f9-922e1a30e63b";
const nameOf = (name: string) => new UniqueNames().of({ id, name });

const texts = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...hostileNames));

describe("names in exports", () => {
  test("host names are not paths, options, templates or lines", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(safeName(text)).toMatch(/^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u);
      }),
    );
  });

  test("host names are unique", () => {
    fc.assert(
      fc.property(fc.array(texts), (names) => {
        const unique = new UniqueNames();
        const given = names.map((name) =>
          unique.of({ id: crypto.randomUUID(), name }).toLowerCase(),
        );
        expect(new Set(given).size).toBe(names.length);
      }),
    );
  });

  test("a name is unchanged for the first host that has it", () => {
    const unique = new UniqueNames();
    expect(["nas", "NAS", "nas"].map((name) => unique.of({ id, name }))).toEqual([
      "nas",
      "NAS-1a30e63b",
      "nas-e1a30e63b",
    ]);
  });

  test.each(["é e\u0301", "nas nas.", "ﬁle file", "Straße\uFE0F straße"])(
    "host names differ in more than case, composition, width and invisible marks: %s",
    (pair) => {
      const unique = new UniqueNames();
      const [one = "", other = ""] = pair.split(" ");
      expect(unique.of({ id, name: one })).toBe(one);
      expect(unique.of({ id, name: other })).toBe(`${other}-1a30e63b`);
    },
  );

  test("host names are valid file names in every file system", () => {
    for (const name of ["打".repeat(100), "🖨".repeat(100), "a".repeat(100)]) {
      const unique = new UniqueNames();
      const names = [unique.of({ id, name }), unique.of({ id, name })];
      expect(new Set(names).size).toBe(2);
      for (const each of names) {
        expect(new TextEncoder().encode(each).length).toBeLessThanOrEqual(255);
        expect(each.isWellFormed()).toBe(true);
      }
    }
    expect(nameOf("nul.txt")).toBe("nul_.txt");
  });

  test.each([
    ...["all", "ungrouped", "_meta", "hostvars", "group_names", "groups", "omit", "environment"],
    ...["inventory_hostname", "inventory_hostname_short", "inventory_dir", "play_hosts"],
    ...["ansible_host", "ansible_play_hosts", "vars", "children", "hosts", "__ansible_vault"],
    ...["__ansible_unsafe", "network_Home", "tag_prod", "service_Samba", "nas.yml", "nas.yaml"],
    ...["nas.json", "con", "COM1", "lpt9", "NUL"],
  ])("a name that has a meaning in an inventory is not used for a host: %s", (name) => {
    for (const each of [name, name.toUpperCase()]) {
      expect(nameOf(each)).toBe(`${each}-1a30e63b`);
    }
    const wide = name.replace(/[a-z]/g, (letter) =>
      String.fromCodePoint(letter.charCodeAt(0) + 0xfee0),
    );
    expect(nameOf(wide)).toBe(`${wide}-1a30e63b`);
  });

  test.each([
    ...["localhost", "LocalHost", "localhost.", "localhost4", "localhost6.localdomain6"],
    ...["me.localhost", "me.localhost.localdomain", "loopback", "localdomain4", "ip6-allnodes"],
    ...["ipv6-localhost", "broadcasthost", "loghost", "host.docker.internal", "a.internal"],
    ...["metadata.google.internal", "metadata", "instance-data", "wpad", "wpad.example.com"],
    ...["isatap", "fe80--1.ipv6-literal.net", "127.0.0.1", "127.1", "127", "1.2", "0177.0.0.1"],
    ...[
      "0x7f.1",
      "0x7F000001",
      "2130706433",
      "１２７.０.０.１",
      "ｌｏｃａｌｈｏｓｔ",
      "localho\u017Ft",
    ],
    ...["localhost\uFE0F", "①②⑦.1", "xn--localhost-", "nas.xn--mnchen-3ya"],
  ])(
    "no export contains a name that machines interpret as themselves or as an address: %s",
    (name) => {
      expect(resolvableName(name)).toBe(null);
      expect(nameOf(name)).toBe(`${name}-1a30e63b`);
    },
  );

  test.each([
    ...[
      "local\u00ADhost",
      "local\u200Bhost",
      "\u200Bwpad",
      "lócalhost",
      " localhost ",
      "-localhost",
    ],
    ...["::1", "fe80::1", "fe80::1%eth0", "fe80:0:0:1:2:3:4:5", "::ffff:127.0.0.1"],
  ])("a name that would become such a name is not in a hosts file: %j", (name) => {
    expect(resolvableName(name)).toBe(null);
  });

  test("a name that only contains Ansible's prefix is unchanged in an inventory", () => {
    expect(nameOf("x__ansible")).toBe("x__ansible");
  });

  test("a name in a hosts file has at most 253 characters", () => {
    const longest = `${"a.".repeat(126)}a`;
    expect([longest.length, resolvableName(longest)]).toEqual([253, longest]);
    expect(resolvableName(`${longest}a`)).toBe(null);
  });

  test.each([
    "nas",
    "nas-1",
    "printer.local",
    "allnodes",
    "internal-1",
    "tagged",
    "meta",
    "1a",
    "host",
    "my-ip6-host",
    "workgroups",
  ])("a name that only resembles such a name is unchanged: %s", (name) => {
    expect([nameOf(name), resolvableName(name)]).toEqual([name, name]);
  });

  test("group names are never host names", () => {
    fc.assert(
      fc.property(texts, texts, (text, name) => {
        const group = groupName("tag", text);
        expect(nameOf(group)).not.toBe(group);
        expect(nameOf(name)).not.toMatch(/^(network|tag|service)_[A-Za-z0-9_]*$/);
      }),
    );
  });

  test("group names cannot imitate names with a digest", () => {
    const group = groupName("tag", "prod!");
    expect(groupName("tag", group.slice("tag_".length))).not.toBe(group);
  });

  test("group names are valid in Ansible", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(groupName("tag", text)).toMatch(/^tag_[A-Za-z0-9_]*$/);
      }),
    );
  });

  test("group names differ if the original names differ in more than spaces, dots and hyphens", () => {
    expect(groupName("service", "Home Assistant")).toBe("service_Home_Assistant");
    expect(groupName("service", "home-assistant")).toBe("service_home_assistant");
    const groups = ["打印机", "扫描仪", "prod!", "prod?", "prod"].map((name) =>
      groupName("tag", name),
    );
    expect(new Set(groups).size).toBe(groups.length);
  });

  test("names in a hosts file consist of RFC 1123 labels", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const name = resolvableName(text);
        expect(name === null || name.length <= 253).toBe(true);
        for (const label of name?.split(".") ?? []) {
          expect(label).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
        }
      }),
    );
  });

  test.each([
    ["NAS.Home.example.com", "nas.home.example.com"],
    ["Küche 2", "kuche-2"],
    ["two\nlines", "two-lines"],
    ["a # b", "a-b"],
    ["localhost", null],
    ["me.localhost", null],
    ["ip6-allnodes", null],
    ["10.1.2.3", null],
    ["fe80::1", null],
    ["打印机", null],
    ["#", null],
  ])("in a hosts file, %j becomes %j", (text, name) => {
    expect(resolvableName(text)).toBe(name);
  });
});
