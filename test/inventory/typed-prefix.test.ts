import { expect, test } from "vitest";
import { addressSpans, macSpan } from "../../src/inventory/typed-prefix.ts";

const spans = (text: string) => addressSpans(text).map(({ first, last }) => `${first} to ${last}`);

test.each([
  ["192.168", ["192.168.0.0 to 192.168.255.255"]],
  ["192.168.7", ["192.168.7.0 to 192.168.7.255", "192.168.70.0 to 192.168.79.255"]],
  ["192.168.77.", ["192.168.77.0 to 192.168.77.255"]],
  [
    "10.2",
    ["10.2.0.0 to 10.2.255.255", "10.20.0.0 to 10.29.255.255", "10.200.0.0 to 10.255.255.255"],
  ],
  ["10.0", ["10.0.0.0 to 10.0.255.255"]],
  ["10.26", ["10.26.0.0 to 10.26.255.255"]],
  ["192.", ["192.0.0.0 to 192.255.255.255"]],
])("'%s' is a prefix of the IPv4 addresses %j", (text, expected) => {
  expect(spans(text)).toEqual(expected);
});

test.each([
  [
    "2001:db8",
    [
      "2001:db8:0:0:0:0:0:0 to 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
      "2001:db80:0:0:0:0:0:0 to 2001:db8f:ffff:ffff:ffff:ffff:ffff:ffff",
    ],
  ],
  ["2001:0db8", ["2001:db8:0:0:0:0:0:0 to 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"]],
  ["fe80:", ["fe80:0:0:0:0:0:0:0 to fe80:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]],
  ["fe80::", ["fe80:0:0:0:0:0:0:0 to fe80:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]],
  ["1:2:3:4:5:6:7:", ["1:2:3:4:5:6:7:0 to 1:2:3:4:5:6:7:ffff"]],
])("'%s' is a prefix of the IPv6 addresses %j", (text, expected) => {
  expect(spans(text)).toEqual(expected);
});

test.each([
  ...["192", "192.256", "192.168.07", "192.0.2.7", "1.2.3.4.", ".1", "x.", "192.168.77.."],
  ...["::", "::1", ":", "2001:db8::1", "2001:db8::1:", "1:2:3:4:5:6:7:8", "12345:", "fe80"],
])("'%s' is not a prefix of addresses", (text) => {
  expect(addressSpans(text)).toEqual([]);
});

test.each(["02:00:5e", "02-00-5E", "0200.5e", "02005e", "02:00:5e:", "02:00:5E"])(
  "'%s' is a prefix of a vendor's MAC addresses",
  (text) => {
    expect(macSpan(text)).toEqual({ first: "02005e000000", last: "02005effffff" });
  },
);

test.each([
  "00:00:5e:00:53:01",
  "0000.5E00.5301",
  "00005e005301",
  "0:0:5e:0:53:1",
  "00005e-005301",
])("'%s' is a single MAC address", (text) => {
  expect(macSpan(text)).toEqual({ first: "00005e005301", last: "00005e005301" });
});

test.each([
  "02:0",
  "0200",
  "02005",
  "02:00-5e",
  "192.168",
  "2001:db8",
  "02:0:5e",
  "web-01",
  "00005e0053011",
])("'%s' is not a prefix of MAC addresses", (text) => {
  expect(macSpan(text)).toBeNull();
});
