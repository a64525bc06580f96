import { id } from "../../http/input/id.ts";
import { canonicalMac, cidr, ipAddress } from "../../http/input/network.ts";
import { typedPort } from "../search.ts";
import { addressSpans, macSpan } from "../typed-prefix.ts";

/** A typed text, with what else it may denote: an argument of `app.search`. */
interface Typed {
  text: string;
  id: string | null;
  port: number | null;
  protocol: string | null;
  first_addresses: string[];
  last_addresses: string[];
  first_mac: string | null;
  last_mac: string | null;
  address: string | null;
  block: string | null;
}

function typed(text: string): Typed {
  const address = ipAddress.safeParse(text).data ?? null;
  const spans = addressSpans(text);
  const mac = macSpan(text);
  const port = typedPort(text);
  const ends = address === null ? [] : [address];
  return {
    text,
    id: id.safeParse(text).data ?? null,
    port: port?.number ?? null,
    protocol: port?.protocol ?? null,
    first_addresses: [...ends, ...spans.map(({ first }) => first)],
    last_addresses: [...ends, ...spans.map(({ last }) => last)],
    first_mac: mac?.first ?? null,
    last_mac: mac?.last ?? null,
    address,
    block: cidr.safeParse(text).data ?? null,
  };
}

/** The maximum number of words: each is compared with each field of each candidate. */
export const maximumWords = 10;

/** The words of a text, each once. A MAC address with spaces is one word. */
export const wordsOf = (text: string): string[] =>
  canonicalMac(text) === null
    ? [...new Map(text.split(/\s+/).map((word) => [word.toLowerCase(), word])).values()]
    : [text];

/** Returns the first argument of `app.search`: the whole text, then its words if it has several. */
export function typedWords(text: string): Typed[] {
  const words = wordsOf(text);
  return [text, ...(words.length > 1 ? words : [])].map(typed);
}
