import { convertIPv4ToBinary, convertIPv6ToBinary, distinctRemoteAddr } from "hono/utils/ipaddr";

/** Addresses that never belong to a public host (IANA special-purpose registry, RFC 6890). */
const specialIPv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
].map((block) => {
  const [network = "", length = ""] = block.split("/");
  return { network: convertIPv4ToBinary(network), shift: BigInt(32 - Number(length)) };
});

/**
 * Parts of the global unicast space that do not contain hosts or that embed IPv4 addresses (6to4,
 * Teredo).
 */
const specialIPv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map((block) => {
  const [network = "", length = ""] = block.split("/");
  return { network: convertIPv6ToBinary(network), shift: BigInt(128 - Number(length)) };
});

/** True for 2000::/3, the only block from which public hosts have IPv6 addresses (RFC 4291). */
const isGlobalUnicast = (address: bigint) => address >> 125n === 1n;

/** Names that refer to this machine or to the platform's metadata service, regardless of DNS. */
const localName = /^(.+\.)?(localhost|internal|local)$/;

/**
 * True for a URL to which the service must not send requests, because it contains credentials, its
 * scheme is neither http nor https, or its host is not a public address or name. The platform
 * rejects names that resolve to private addresses (`global_fetch_strictly_public`).
 * @param allowsPrivate true to allow any address, for local development
 */
export function isForbiddenUrl(text: string, allowsPrivate: boolean): boolean {
  if (!URL.canParse(text)) {
    return true;
  }
  const { protocol, username, password, hostname, port } = new URL(text);
  const isHttp = protocol === "http:" || protocol === "https:";
  if (!isHttp || username !== "" || password !== "" || port === "0") {
    return true;
  }
  return !allowsPrivate && !isPublicHost(bareHost(hostname));
}

/** True if a URL's `hostname` is an IP address rather than a name. */
export const isAddress = (hostname: string): boolean =>
  distinctRemoteAddr(bareHost(hostname)) !== undefined;

/** Removes the brackets around an IPv6 address, or the trailing dots of a fully qualified name. */
const bareHost = (hostname: string) =>
  hostname.replace(/^\[(.*)\]$/, "$1").replace(/(?<!\.)\.+$/, "");

function isPublicHost(host: string): boolean {
  switch (distinctRemoteAddr(host)) {
    case "IPv4": {
      const address = convertIPv4ToBinary(host);
      return !specialIPv4.some(({ network, shift }) => address >> shift === network >> shift);
    }
    case "IPv6": {
      const address = convertIPv6ToBinary(host);
      return (
        isGlobalUnicast(address) &&
        !specialIPv6.some(({ network, shift }) => address >> shift === network >> shift)
      );
    }
    default:
      return !localName.test(host);
  }
}
