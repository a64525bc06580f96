/**
 * Matches addresses that mean another machine, or none, to the reader of an export: loopback,
 * link-local and unspecified addresses, also as IPv4 addresses in IPv6 (RFC 4291, section 2.5.5).
 * The notation is that of Postgres.
 */
const unreachable = /^((::(ffff:(0:)?)?)?(127\.|0\.|169\.254\.)|::1?$|fe[89ab][\da-f]:)/;

/** Returns the addresses at which other machines can reach a host. */
export const reachable = (addresses: readonly string[]): string[] =>
  addresses.filter((address) => !unreachable.test(address));
