import * as z from "zod";
import { once } from "./once.ts";

const mac = /^[0-9a-f]{12}$/i;

/** The longest spelling of a MAC address that is read, in characters. */
const maxMac = 32;
const macRule = once("must be a MAC address such as AA:BB:CC:DD:EE:FF");

const octet = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

/** How IPv6 addresses that embed one of IPv4 are written (RFC 5952, section 5), which Zod's pattern lacks. */
const embedded = `::([fF]{4}:)?(${octet}\\.){3}${octet}`;

/** An IP address, without a zone. The database gives it its canonical form. */
export const ipAddress = z.union(
  [
    z.ipv4().meta({ maxLength: 15 }),
    z.ipv6().meta({ maxLength: 45 }),
    z
      .string()
      .regex(new RegExp(`^${embedded}$`))
      .meta({ maxLength: 45 }),
  ],
  {
    ...once("must be an IP address such as 192.0.2.7 or 2001:db8::7"),
  },
);

/** An address in the one spelling that two equal ones share. For comparing, not for storing. */
export const canonicalAddress = (address: string): string =>
  address.includes(":") ? new URL(`http://[${address}]`).hostname : address;

/** A block of addresses. Bits behind its length are dropped by the database. */
export const cidr = z.union(
  [
    z.cidrv4().meta({ maxLength: 18 }),
    z.cidrv6().meta({ maxLength: 49 }),
    z
      .string()
      .regex(new RegExp(`^${embedded}/(12[0-8]|1[01]\\d|[1-9]?\\d)$`))
      .meta({ maxLength: 49 }),
  ],
  {
    ...once("must be a block of addresses such as 192.0.2.0/24 or 2001:db8::/64"),
  },
);

/** A MAC address in any usual spelling, as `AA:BB:CC:DD:EE:FF` from here on. */
export const macAddress = z
  .string(macRule)
  .max(maxMac, macRule)
  .transform((text) => text.trim().replaceAll(/[:.-]/g, ""))
  .refine((digits) => mac.test(digits), {
    error: "must be a MAC address such as AA:BB:CC:DD:EE:FF",
  })
  .transform((digits) => (digits.toUpperCase().match(/../g) ?? []).join(":"))
  .pipe(
    z
      .string()
      .regex(/^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/)
      .meta({ maxLength: 17 }),
  )
  .meta({
    description: "As `AA:BB:CC:DD:EE:FF`; requests may use any usual spelling.",
    input: { pattern: "^\\s*[:.-]*([0-9A-Fa-f][:.-]*){12}\\s*$" },
  });
