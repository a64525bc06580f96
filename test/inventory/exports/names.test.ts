import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  groupName,
  resolvableName,
  safeName,
  UniqueNames,
} from "../../../src/inventory/exports/names.ts";
import { hostileNames } from "./hostile.ts";

const texts = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...hostileNames));

describe("names in exports", () => {
  test("of hosts are no path, option, template or line", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(safeName(text)).toMatch(/^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u);
      }),
    );
  });

  test("of hosts are each another one", () => {
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

  test("stay what they are, and go to the host that had them first", () => {
    const unique = new UniqueNames();
    const id = "e1e74882-b978-405e-89f9-922e1a30e63b";
    expect(["nas", "NAS", "nas"].map((name) => unique.of({ id, name }))).toEqual([
      "nas",
      "NAS-1a30e63b",
      "nas-e1a30e63b",
    ]);
  });

  test("of groups are those that Ansible takes", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(groupName("tag", text)).toMatch(/^tag_[A-Za-z0-9_]*$/);
      }),
    );
  });

  test("of groups differ where more than spaces, dots and hyphens do", () => {
    expect(groupName("service", "Home Assistant")).toBe("service_Home_Assistant");
    expect(groupName("service", "home-assistant")).toBe("service_home_assistant");
    const groups = ["打印机", "扫描仪", "prod!", "prod?", "prod"].map((name) =>
      groupName("tag", name),
    );
    expect(new Set(groups).size).toBe(groups.length);
  });

  test("in a hosts file are labels of RFC 1123", () => {
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
  ])("in a hosts file make of %j %j", (text, name) => {
    expect(resolvableName(text)).toBe(name);
  });
});
