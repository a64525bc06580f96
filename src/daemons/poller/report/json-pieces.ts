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

/** The most that is parsed at once: a few milliseconds' work. */
const maximumAtOnce = { bytes: 256 * 1024, members: 10_000 } as const;

/** So many bytes are looked at for each unit of work, and so many before that is counted. */
const bytesPerUnit = 128;
const bytesAtOnce = 64 * 1024;
const unitsPerPiece = 4;

/** An array or object that is not parsed yet. */
export class Piece {
  readonly json: Uint8Array;
  readonly #members: number;

  /** @param members of arrays and fields of objects, all together */
  constructor(json: Uint8Array, members: number) {
    this.json = json;
    this.#members = members;
  }

  /** What parsing it costs. */
  get units(): number {
    return 2 + this.#members + this.json.length / bytesPerUnit;
  }

  /**
   * @returns undefined where it is too large to be parsed at once
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

/** JSON of which only what lies above a depth is parsed. */
export class Pieces {
  /** In place of every array and object at that depth stands what {@link Pieces.at} takes. */
  readonly frame: unknown;
  readonly #pieces: readonly Piece[];

  constructor(frame: unknown, pieces: readonly Piece[]) {
    this.frame = frame;
    this.#pieces = pieces;
  }

  /** The array or object that stood where the frame has a value; null where there was none. */
  at(value: unknown): Piece | null {
    return Array.isArray(value) ? (this.#pieces[value[0]] ?? null) : null;
  }
}

/**
 * Cuts JSON into pieces, so that they can be parsed one by one. It is judged before anything is parsed,
 * since a parser's own memory is what an attacker goes for, and counted as `findExcess` does.
 * @param depth of the arrays and objects that become pieces; the outermost is 1
 * @param members the most members of arrays and fields of objects, all together, where they were not counted
 * before
 * @param longest text outside of the pieces, in bytes; a longer one becomes an empty one
 * @throws {CallFailure} `too_large`, also for too much outside of the pieces; `not_json`
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
  // A pause takes longer than a small step: there is none without need.
  if (pace.isOver(whole.units)) {
    yield;
  }
  return new Pieces(parsed(whole.json), pieces);
}

/** What stands in a frame for a text that is left out. */
const emptyText = Uint8Array.of(quote, quote);

/** What stands in a frame for a piece: its number, as JSON. A call of an encoder costs more than all else. */
const marker = (number: number): Uint8Array =>
  Uint8Array.from(`[${number}]`, (character) => character.charCodeAt(0));

/** What of JSON is not in pieces. */
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
