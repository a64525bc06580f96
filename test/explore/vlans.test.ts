import { describe, expect, test } from "vitest";
import { vlansOf } from "../../src/explore/hosts/vlans.ts";

describe("the VLANs of an interface", () => {
  test("are shown as the native one, and ranges of tagged ones", () => {
    expect(vlansOf({ native_vlan: 1, tagged_vlans: [10, 20, 21, 22, 4094] })).toBe(
      "VLAN 1, tagged 10, 20–22, 4094",
    );
    expect(vlansOf({ native_vlan: null, tagged_vlans: [5] })).toBe("tagged 5");
    expect(vlansOf({ native_vlan: null, tagged_vlans: null })).toBe("");
    expect(vlansOf({ native_vlan: null, tagged_vlans: [] })).toBe("");
  });
});
