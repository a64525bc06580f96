/**
 * The network under which a client is counted: the address itself for IPv4, and the /64 for IPv6,
 * since each client has at least a /64 (RFC 6177).
 */
export function clientNetwork(request: Request): string {
  // Set by Cloudflare, which overwrites any value that the client sends.
  const address = request.headers.get("CF-Connecting-IP") ?? "unknown";
  const url = `http://[${address}]`;
  if (!URL.canParse(url)) {
    return address;
  }
  // The URL parser writes IPv6 in its canonical form (RFC 5952).
  const [head = "", tail = ""] = new URL(url).hostname.slice(1, -1).split("::");
  const left = head.split(":").filter((group) => group !== "");
  const right = tail.split(":").filter((group) => group !== "");
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  const groups = [...left, ...zeros, ...right];
  return groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff"
    ? ipv4Of(groups.slice(6))
    : `${groups.slice(0, 4).join(":")}::/64`;
}

/** The IPv4 address of an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2). */
const ipv4Of = (groups: readonly string[]) =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((bits) => [bits >> 8, bits & 0xff])
    .join(".");
