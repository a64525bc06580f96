import { malformed } from "./problem.ts";

/** Maximum length of an element or attribute name. */
export const maxNameLength = 64;

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** ASCII names only: scanners do not write any others. */
const isNameStart = (code: number) =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  code === 0x5f ||
  code === 0x3a;
const isNamePart = (code: number) =>
  isNameStart(code) || (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e;

/** A position in a document that only moves forward, in UTF-16 units. */
export class Cursor {
  readonly text: string;
  at = 0;
  /** The start of the current markup. */
  markup = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  get isAtName(): boolean {
    return isNameStart(this.text.charCodeAt(this.at));
  }

  /** Skips whitespace. Returns true if there was any. */
  space(): boolean {
    const start = this.at;
    while (isSpace(this.text.charCodeAt(this.at))) {
      this.at++;
    }
    return this.at > start;
  }

  /** Skips the expected text. Returns false if it is not next. */
  take(expected: string): boolean {
    const isNext = this.text.startsWith(expected, this.at);
    this.at += isNext ? expected.length : 0;
    return isNext;
  }

  expect(expected: string): void {
    if (!this.take(expected)) {
      throw this.unexpected(`"${expected}"`);
    }
  }

  name(): string {
    const start = this.at;
    if (!this.isAtName) {
      throw this.unexpected("a name");
    }
    while (isNamePart(this.text.charCodeAt(this.at))) {
      this.at++;
      if (this.at - start > maxNameLength) {
        throw this.error(`a name has more than ${maxNameLength} characters.`, start);
      }
    }
    return this.text.slice(start, this.at);
  }

  /** Skips past the next `end`. Returns the text before it. */
  upTo(end: string): string {
    const start = this.at;
    const position = this.text.indexOf(end, start);
    if (position === -1) {
      throw this.cutOff();
    }
    this.at = position + end.length;
    return this.text.slice(start, position);
  }

  unexpected(expected: string) {
    return this.isAtEnd
      ? this.cutOff()
      : this.error(`the markup is broken: ${expected} is missing.`, this.at);
  }

  cutOff() {
    return this.error("the report is truncated. Send the complete file after the scan has ended.");
  }

  error(problem: string, position = this.markup) {
    return malformed(this.text, position, problem);
  }
}
