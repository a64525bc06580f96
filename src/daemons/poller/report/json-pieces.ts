import type { Pace, Steps } from "../../../discovery/steps.ts";
import { maxDepth } from "../../../http/body/json-budget.ts";
import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  openBrace,
  openBracket,
  quote,
} from "../../../http/json-bytes.ts";
import { CallFailure } from "../call/call-failure.ts";

/** Maximum amount of JSON that is parsed in one step: a few milliseconds of work. */
const maximumAtOnce = { bytes: 256 * 1024, members: 10_000 } as const;

/** Number of bytes that are scanned per unit of work. */
const bytesPerUnit = 128;
/** Number of bytes that are scanned before the work is counted. */
const bytesAtOnce = 64 * 1024;
/** The cost of a piece, in units of work. */
const unitsPerPiece = 4;

/** An array or object that has not been parsed yet. */
export class Piece {
  readonly json: Uint8Array;
  readonly #members: number;

  /** @param members the total number of array members and object fields */
  constructor(json: Uint8Array, members: number) {
    this.json = json;
    this.#members = members;
  }

  /** The cost of parsing it, in units of work. */
  get units(): number {
    return 2 + this.#members + this.json.length / bytesPerUnit;
  }

  /**
   * @returns undefined if it is too large to be parsed in one step
   * @throws {CallFailure} `not_json`
   */
  parse(): unknown {
    const { bytes, members } = maximumAtOnce;
    if (this.json.length > bytes || this.#members > members) {
      return undefined;
    }
    return parsed(this.json);
  }
}

/** JSON that is parsed down to a given depth. Deeper arrays and objects stay unparsed. */
export class Pieces {
  /**
   * The parsed part. Each deeper array or object is replaced by a marker, which can be passed to
   * {@link Pieces.at}.
   */
  readonly frame: unknown;
  readonly #pieces: readonly Piece[];

  constructor(frame: unknown, pieces: readonly Piece[]) {
    this.frame = frame;
    this.#pieces = pieces;
  }

  /** The array or object that a marker of the frame replaces; null for any other value. */
  at(value: unknown): Piece | null {
    return Array.isArray(value) ? (this.#pieces[value[0]] ?? null) : null;
  }
}

/**
 * Cuts JSON into pieces that can be parsed one by one. Counts members as `findExcess` does, before
 * anything is parsed: short JSON with many members would exhaust memory when parsed.
 * @param depth the depth of the arrays and objects that become pieces; the outermost is 1
 * @param members maximum number of array members and object fields, in total; unlimited by default
 * @param longest maximum length of a string outside the pieces, in bytes; a longer string is
 *   replaced by an empty one
 * @throws {CallFailure} `too_large`, including when there is too much JSON outside the pieces;
 * `not_json`
 */
export function* cut(
  json: Uint8Array,
  {
    depth,
    members: most,
    longest = json.length,
    pace,
  }: { depth: number; members?: number; longest?: number; pace: Pace },
): Steps<Pieces> {
  const pieces: Piece[] = [];
  const frame = new Frame();
  let members = 0;
  let level = 0;
  let isInString = false;
  let begin = 0;
  let beginOfText = 0;
  let before = 0;
  let inFrame = 0;
  let pauseAt = bytesAtOnce;
  for (let position = 0; position < json.length; position++) {
    const byte = json[position];
    if (isInString) {
      if (byte === backslash) {
        position++;
      } else if (byte === quote) {
        isInString = false;
        if (position - beginOfText > longest && level < depth) {
          frame.add(json.subarray(begin, beginOfText));
          frame.add(emptyText);
          begin = position + 1;
        }
      }
    } else if (byte === quote) {
      isInString = true;
      beginOfText = position;
    } else if (byte === comma) {
      members++;
      inFrame += level < depth ? 1 : 0;
    } else if (byte === openBracket || byte === openBrace) {
      level++;
      if (level === depth) {
        frame.add(json.subarray(begin, position));
        begin = position;
        before = members;
      }
      members++;
      inFrame += level < depth ? 1 : 0;
      if (level > maxDepth) {
        throw new CallFailure("too_large");
      }
    } else if (byte === closeBracket || byte === closeBrace) {
      if (level === depth) {
        frame.add(marker(pieces.length));
        pieces.push(new Piece(json.subarray(begin, position + 1), members - before));
        begin = position + 1;
        if (pace.isOver(unitsPerPiece)) {
          yield;
        }
      }
      level--;
    }
    if ((most !== undefined && members > most) || inFrame > maximumAtOnce.members) {
      throw new CallFailure("too_large");
    }
    if (position >= pauseAt) {
      pauseAt = position + bytesAtOnce;
      if (pace.isOver(bytesAtOnce / bytesPerUnit)) {
        yield;
      }
    }
  }
  frame.add(json.subarray(level >= depth ? json.length : begin));
  const whole = new Piece(frame.json(), inFrame);
  // Pauses only if needed, since a pause takes longer than a small step.
  if (pace.isOver(whole.units)) {
    yield;
  }
  return new Pieces(parsed(whole.json), pieces);
}

/** Replaces a string that is too long. */
const emptyText = Uint8Array.of(quote, quote);

/**
 * Replaces a piece: a JSON array that contains the piece's number. Built without TextEncoder, which
 * used to take most of the time.
 */
const marker = (number: number): Uint8Array =>
  Uint8Array.from(`[${number}]`, (character) => character.charCodeAt(0));

/** Collects the JSON outside the pieces. */
class Frame {
  #json = new Uint8Array(1024);
  #size = 0;

  add(part: Uint8Array): void {
    const size = this.#size + part.length;
    if (size > maximumAtOnce.bytes) {
      throw new CallFailure("too_large");
    }
    if (size > this.#json.length) {
      const grown = new Uint8Array(2 * size);
      grown.set(this.json());
      this.#json = grown;
    }
    this.#json.set(part, this.#size);
    this.#size = size;
  }

  json(): Uint8Array {
    return this.#json.subarray(0, this.#size);
  }
}

function parsed(json: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(json));
  } catch {
    throw new CallFailure("not_json");
  }
}
