import * as z from "zod";
import { once } from "./once.ts";

const mac = /^[0-9a-f]{12}$/i;

/** An IP address, without a zone. The database gives it its canonical form. */
export const ipAddress = z.union([z.ipv4(), z.ipv6()], {
  ...once("must be an IP address such as 192.0.2.7 or 2001:db8::7"),
});

/** A block of addresses. Bits behind its length are dropped by the database. */
export const cidr = z.union([z.cidrv4(), z.cidrv6()], {
  ...once("must be a block of addresses such as 192.0.2.0/24 or 2001:db8::/64"),
});

/** A MAC address in any usual spelling, as `AA:BB:CC:DD:EE:FF` from here on. */
export const macAddress = z
  .string(once("must be a MAC address such as AA:BB:CC:DD:EE:FF"))
  .transform((text) => text.trim().replaceAll(/[:.-]/g, ""))
  .refine((digits) => mac.test(digits), {
    error: "must be a MAC address such as AA:BB:CC:DD:EE:FF",
  })
  .transform((digits) => (digits.toUpperCase().match(/../g) ?? []).join(":"))
  .pipe(z.string().regex(/^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/))
  .meta({ description: "As `AA:BB:CC:DD:EE:FF`; requests may use any usual spelling." });
