/** Returns a 53-bit hash of a string. Not cryptographic: collisions can be constructed. */
export function hash(text: string): number {
  let [one, other] = [0x9e3779b1, 0x85ebca6b];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x85ebca77);
    other = Math.imul(other ^ unit, 0xc2b2ae3d);
  }
  one ^= Math.imul(one ^ (other >>> 15), 0x735a2d97);
  other ^= Math.imul(other ^ (one >>> 15), 0xcaf649a9);
  return 0x200000 * (other >>> 0) + ((one ^ (other >>> 16)) >>> 11);
}
