import * as z from "zod";
import { once } from "./once.ts";

/**
 * The notations of a MAC address (EUI-48). One form has twelve digits, either ungrouped or in
 * groups of four or six. The other form has six octets: BSD, macOS and Solaris omit their leading
 * zeros (`0:1c:42:0:0:9`), and net-snmp's Hex-STRING separates them with spaces.
 */
const macSpellings = [
  "[0-9A-Fa-f]{12}",
  "[0-9A-Fa-f]{1,2}([:. -][0-9A-Fa-f]{1,2}){5}",
  "[0-9A-Fa-f]{4}([:. -][0-9A-Fa-f]{4}){2}",
  "[0-9A-Fa-f]{6}[:. -][0-9A-Fa-f]{6}",
].join("|");
const mac = new RegExp(`^(${macSpellings})$`);

/** Maximum length of a MAC address, in characters. */
const maxMac = 32;
const macMessage = "must be a MAC address such as AA:BB:CC:DD:EE:FF";

/** Converts any common notation of a MAC address to `AA:BB:CC:DD:EE:FF`; null for other text. */
export function canonicalMac(text: string): string | null {
  const trimmed = text.length > maxMac ? "" : text.trim();
  if (!mac.test(trimmed)) {
    return null;
  }
  const groups = trimmed.split(/[:. -]/);
  const octets =
    groups.length === 6
      ? groups.map((octet) => octet.padStart(2, "0"))
      : (groups.join("").match(/../g) ?? []);
  return octets.join(":").toUpperCase();
}

const octet = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

/**
 * IPv6 addresses that embed an IPv4 address (RFC 5952, section 5), which Zod's pattern does not
 * match.
 */
const embedded = `::([fF]{4}:)?(${octet}\\.){3}${octet}`;

const addressForms = [
  z.ipv4().meta({ maxLength: 15 }),
  z.ipv6().meta({ maxLength: 45 }),
  z
    .string()
    .regex(new RegExp(`^${embedded}$`))
    .meta({ maxLength: 45 }),
] as const;

/** An IP address without a zone. The database converts it to its canonical form. */
export const ipAddress = z.union(addressForms, {
  ...once("must be an IP address such as 192.0.2.7 or 2001:db8::7"),
});

/** Maximum length of an address's zone, in characters. */
const maxZone = 64;

/**
 * An IP address with an optional zone (RFC 4007, section 11): `fe80::1%eth0`. The output includes
 * the zone: see {@link zoneOf}.
 */
export const zonedAddress = z.union(
  [
    ...addressForms,
    z
      .string()
      .max(45 + 1 + maxZone)
      .refine((text) => (zoneOf(text) ?? "") !== "" && ipAddress.safeParse(unzoned(text)).success),
  ],
  { ...once("must be an IP address such as 192.0.2.7, 2001:db8::7 or fe80::1%eth0") },
);

/** An address's zone; null if it does not have one. */
export const zoneOf = (address: string): string | null => {
  const at = address.indexOf("%");
  return at === -1 ? null : address.slice(at + 1);
};

/** Removes the zone from an address. */
export const unzoned = (address: string): string => {
  const at = address.indexOf("%");
  return at === -1 ? address : address.slice(0, at);
};

/** The canonical notation of an address. It is for comparisons only, not for storage. */
export const canonicalAddress = (address: string): string =>
  address.includes(":") ? new URL(`http://[${address}]`).hostname : address;

/** A CIDR block. The database clears the host bits. */
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

/** A MAC address in any common notation. Converted to `AA:BB:CC:DD:EE:FF`. */
export const macAddress = z
  .string(once(macMessage))
  .max(maxMac, once(macMessage))
  .transform((text, context) => {
    const canonical = canonicalMac(text);
    if (canonical === null) {
      context.addIssue({ code: "custom", message: macMessage, input: text });
      return z.NEVER;
    }
    return canonical;
  })
  .pipe(
    z
      .string()
      .regex(/^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/)
      .meta({ maxLength: 17 }),
  )
  .meta({
    description: "As `AA:BB:CC:DD:EE:FF`; requests may use any common notation.",
    input: { pattern: `^\\s*(${macSpellings})\\s*$` },
  });
