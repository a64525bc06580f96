/**
 * Matches addresses that, on the machine that reads an export, refer to a different machine or to
 * none: loopback, link-local and unspecified addresses, including IPv4 addresses in IPv6 notation
 * (RFC 4291, section 2.5.5). The addresses must be in Postgres' notation.
 */
const unreachable = /^((::(ffff:(0:)?)?)?(127\.|0\.|169\.254\.)|::1?$|fe[89ab][\da-f]:)/;

/** Returns the addresses at which other machines can reach a host. */
export const reachable = (addresses: readonly string[]): string[] =>
  addresses.filter((address) => !unreachable.test(address));
