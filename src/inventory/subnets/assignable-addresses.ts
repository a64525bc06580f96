/**
 * Returns the number of addresses of a block that can be assigned, as in `app.available_addresses`;
 * null if it exceeds 2^53 - 1, beyond which JSON numbers are not exact.
 * @param cidr the block in canonical notation
 */
export function assignableAddresses(cidr: string): number | null {
  const isV6 = cidr.includes(":");
  const hostBits = (isV6 ? 128 : 32) - Number(cidr.slice(cidr.indexOf("/") + 1));
  const reserved = hostBits < 2 ? 0 : isV6 ? 1 : 2;
  const count = 2 ** hostBits - reserved;
  return Number.isSafeInteger(count) ? count : null;
}
