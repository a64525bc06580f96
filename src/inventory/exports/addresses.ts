/**
 * Addresses that mean another machine, or none, to who reads the export: loopback and link-local ones, also as IPv6 has
 * addresses of IPv4 (RFC 4291, section 2.5.5), in the notation of Postgres.
 */
const unreachable = /^((::(ffff:(0:)?)?)?(127\.|0\.|169\.254\.)|::1?$|fe[89ab][\da-f]:)/;

/** The addresses at which others reach a host. */
export const reachable = (addresses: readonly string[]): string[] =>
  addresses.filter((address) => !unreachable.test(address));
