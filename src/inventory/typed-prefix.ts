import { canonicalMac } from "../http/input/network.ts";

/** All addresses from the first to the last, inclusive, in a notation that Postgres accepts. */
export interface Span {
  first: string;
  last: string;
}

/** The notation of the numbers between the separators of an address. */
interface Notation {
  base: 10 | 16;
  /** Maximum number of digits per number. */
  digits: number;
  greatest: number;
  /** The number of digits in a number whose first digit is 0. */
  digitsBehindZero: number;
}

const octets: Notation = { base: 10, digits: 3, greatest: 255, digitsBehindZero: 1 };
const groups: Notation = { base: 16, digits: 4, greatest: 0xffff, digitsBehindZero: 4 };

/** Returns the numbers whose digits begin with `start`, as one range for each number of digits. */
function runsOf(
  start: string,
  { base, digits, greatest, digitsBehindZero }: Notation,
): [number, number][] {
  if (start === "") {
    return [[0, greatest]];
  }
  const fewest = start.startsWith("0") ? digitsBehindZero : start.length;
  const most = start.startsWith("0") ? digitsBehindZero : digits;
  return Array.from({ length: most - fewest + 1 }, (_, more) => fewest + more)
    .map((length): [number, number] => [
      Number.parseInt(start.padEnd(length, "0"), base),
      Number.parseInt(start.padEnd(length, base === 10 ? "9" : "f"), base),
    ])
    .filter(([first]) => first <= greatest)
    .map(([first, last]) => [first, Math.min(last, greatest)]);
}

/**
 * Returns the spans of addresses whose first numbers equal `whole` and whose next number begins
 * with `start`.
 */
const spansOf = (
  whole: readonly string[],
  start: string,
  { notation, size, sign }: { notation: Notation; size: number; sign: string },
): Span[] => {
  const filled = (number: number, rest: number) =>
    [
      ...whole,
      ...[number, ...Array.from({ length: size - whole.length - 1 }, () => rest)].map((one) =>
        one.toString(notation.base),
      ),
    ].join(sign);
  return runsOf(start, notation).map(([first, last]) => ({
    first: filled(first, 0),
    last: filled(last, notation.greatest),
  }));
};

const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const ipv4Prefix = new RegExp(`^(?:(?:${octet}\\.){1,3}|(?:${octet}\\.){1,2}${octet})$`);

const group = "[0-9a-f]{1,4}";
const ipv6Prefix = new RegExp(`^(?:(?:${group}:){1,7}:?|(?:${group}:){1,6}${group})$`, "i");

/**
 * Returns the addresses that begin with the typed text: `192.168`, `192.168.7`, `2001:db8:`. Empty
 * if the text is not the beginning of an address, or is a whole address (API contract, section 9).
 */
export function addressSpans(text: string): Span[] {
  if (ipv4Prefix.test(text)) {
    const whole = text.split(".");
    return spansOf(whole, whole.pop() ?? "", { notation: octets, size: 4, sign: "." });
  }
  if (ipv6Prefix.test(text)) {
    const whole = text.replace(/::$/, ":").split(":");
    return spansOf(whole, whole.pop() ?? "", { notation: groups, size: 8, sign: ":" });
  }
  return [];
}

const macStarts = [
  /^(?:[0-9a-f]{2}:){1,5}[0-9a-f]{0,2}$/i,
  /^(?:[0-9a-f]{2}-){1,5}[0-9a-f]{0,2}$/i,
  /^(?:[0-9a-f]{4}\.){1,2}[0-9a-f]{0,4}$/i,
  /^[0-9a-f]{6,12}$/i,
];

/** Minimum number of digits in a search for MAC addresses; a vendor's prefix has six. */
const fewestDigits = 4;

/**
 * Returns the MAC addresses that begin with text in any common notation: `02:00:5e`, `02-00-5E`,
 * `0200.5e`, `02005e`. Null if there are none (API contract, section 9).
 */
export function macSpan(text: string): Span | null {
  const digits = (canonicalMac(text) ?? text).replaceAll(/[:.-]/g, "").toLowerCase();
  const isStart =
    digits.length >= fewestDigits && macStarts.some((spelling) => spelling.test(text));
  return isStart || canonicalMac(text) !== null
    ? { first: digits.padEnd(12, "0"), last: digits.padEnd(12, "f") }
    : null;
}
