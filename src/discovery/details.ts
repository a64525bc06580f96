import * as z from "zod";
import { maxIssues } from "../errors/errors.ts";
import { repeated } from "../http/input/each-once.ts";
import { orNone } from "../http/input/or-none.ts";
import { storableRule, textOf } from "../http/input/text.ts";
import { issueMessage } from "../http/validation/issue-message.ts";

/**
 * Characters that XML (XML 1.0, section 2.2) or Postgres (NUL) forbids. Devices send them: SNMP
 * agents terminate their strings with NUL, and banners contain terminal control sequences.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** Text from a device, of 1 to `maximum` characters. {@link takeDetails} repairs invalid text. */
export const deviceText = (maximum: number) =>
  z
    .string()
    .refine((text) => text.search(forbidden) === -1, {
      error: "must not contain control characters",
    })
    .trim()
    .meta({ minLength: 1, maxLength: maximum, pattern: "\\S" })
    .pipe(textOf(1, maximum));

/** {@link deviceText}, or null. Omitted or blank text becomes null. */
export const optionalDeviceText = (maximum: number) =>
  orNone(deviceText(maximum)).meta({
    description: `At most ${maximum} characters, or null. ${storableRule}`,
  });

/**
 * Removes forbidden characters, trims, and truncates to a maximum number of characters. An unpaired
 * surrogate becomes U+FFFD.
 */
export function cleanText(text: string, maximum = text.length): string {
  // Cut generously first: a character has up to two UTF-16 units, and surrounding whitespace and
  // forbidden characters are removed later.
  const clean = text
    .slice(0, 4 * maximum + 64)
    .toWellFormed()
    .replaceAll(forbidden, "")
    .trim();
  return clean.length <= maximum ? clean : [...clean].slice(0, maximum).join("").trim();
}

type Path = readonly PropertyKey[];
type ZodIssue = z.core.$ZodIssue;

/** The valid part of a value that a device or a program sent. */
export interface Details<Value> {
  /** Null if nothing can be used. */
  value: Value | null;
  /**
   * The first 100 issues, by path in the sent value: the reasons for null, or the details that were
   * dropped, truncated or cleaned.
   */
  issues: readonly ZodIssue[];
  /**
   * The paths of dropped fields and list members, except repeated members. A list from which a
   * member was dropped is incomplete.
   */
  lost: readonly Path[];
  /**
   * Converts a path in `value`, whose lists no longer contain the dropped members, to the path in
   * the sent value.
   */
  sentPath(path: Path): Path;
}

/** The `params` of an issue about text that is dropped rather than repaired, such as an id. */
export const exact = { isExact: true } as const;

/** Replaces a dropped member of a list. */
const dropped = Symbol("dropped");

/**
 * Maximum number of repair rounds for one value, each followed by a validation: text is cleaned,
 * then truncated, then dropped, and then the object that requires it is dropped as well.
 */
const maximumRounds = 12;

/**
 * Returns the valid part of a value (API contract, section 10): an invalid detail does not
 * invalidate the rest. Invalid text is cleaned and truncated, unless it is {@link exact}. Any other
 * invalid value is dropped, together with the enclosing object if that requires it. The result is
 * null if a field is unknown, a list is too long or too short, or the value as a whole is incomplete
 * without a dropped part.
 * @param schema accepts valid values; fields that may be dropped are optional in it
 * @param sent the value as it was sent; it is not modified
 * @param known the issues of `sent`, if it has already been validated
 */
export function takeDetails<Value>(
  schema: z.ZodType<Value>,
  sent: unknown,
  known?: readonly ZodIssue[],
): Details<Value> {
  let issues = known;
  if (issues === undefined) {
    const parsed = schema.safeParse(sent, { error: issueMessage });
    if (parsed.success) {
      return { value: parsed.data, issues: [], lost: [], sentPath: (path) => path };
    }
    issues = parsed.error.issues;
  }
  const draft = new Draft(sent);
  const detailsOf = (value: Value | null): Details<Value> => ({
    value,
    issues: draft.issues,
    lost: draft.lost,
    sentPath: (path) => draft.sentPath(path),
  });
  for (let round = 0; round < maximumRounds; round++) {
    if (!draft.repairAll(issues)) {
      return detailsOf(null);
    }
    const parsed = schema.safeParse(draft.compacted(), { error: issueMessage });
    if (parsed.success) {
      return detailsOf(parsed.data);
    }
    issues = parsed.error.issues;
  }
  return detailsOf(null);
}

/** A JSON value that is repaired until it is valid. Only the containers that change are copied. */
class Draft {
  readonly issues: ZodIssue[] = [];
  readonly lost: Path[] = [];
  #root: unknown;
  /** The copied containers, each with the round in which each of its keys was last changed. */
  readonly #own = new Map<object, Map<PropertyKey, number>>();
  #round = 0;
  /** The positions of each shortened list's members in the sent list. */
  #positions = new Map<unknown, readonly number[]>();

  constructor(sent: unknown) {
    this.#root = sent;
  }

  /** @returns false if an issue cannot be repaired */
  repairAll(issues: readonly ZodIssue[]): boolean {
    this.#round++;
    // The issues' paths refer to the lists as shortened in the previous round.
    const located = issues.map((issue) => ({ issue, path: this.sentPath(issue.path) }));
    if (located.some(({ issue, path }) => isFatal(issue, path))) {
      for (const { issue, path } of located) {
        // A list may be empty because its members were dropped. Those members have their own
        // issues.
        if (issue.code === "unrecognized_keys" || !this.#isChanged(path)) {
          this.#note(issue, path);
        }
      }
      return false;
    }
    return located.every(({ issue, path }) => this.#repair(issue, path));
  }

  #repair(issue: ZodIssue, path: Path): boolean {
    const parent = this.#at(path.slice(0, -1));
    const changed =
      typeof parent === "object" && parent !== null
        ? this.#own.get(parent)?.get(path.at(-1) ?? "")
        : this.#round;
    if (changed === this.#round) {
      // An earlier issue of this round has changed this value, or has dropped an enclosing one.
      return true;
    }
    if (!this.#isChanged(path)) {
      this.#note(issue, path);
    }
    const value = this.#at(path);
    if (value === undefined) {
      return this.#drop(path.slice(0, -1));
    }
    const isExact = issue.code === "custom" && issue.params === exact;
    if (typeof value === "string" && !isExact) {
      const clean = cleanText(value);
      const cut =
        issue.code === "too_big" ? cleanText(value, Math.min(Number(issue.maximum), 4096)) : clean;
      const repaired = clean === value.trim() ? cut : clean;
      if (repaired !== value.trim()) {
        this.#set(path, repaired);
        return true;
      }
    }
    if (issue.code === "custom" && issue.params === repeated) {
      const member = path.findLastIndex((step) => typeof step === "number");
      return this.#drop(path.slice(0, member + 1), true);
    }
    return this.#drop(path);
  }

  /** @param isRepeated true if the draft contains the same member elsewhere */
  #drop(path: Path, isRepeated = false): boolean {
    if (path.length === 0) {
      return false;
    }
    const parent = this.#at(path.slice(0, -1));
    if (!isRepeated) {
      this.lost.push(path);
    }
    this.#set(path, Array.isArray(parent) ? dropped : undefined);
    return true;
  }

  #note(issue: ZodIssue, path: Path): void {
    if (this.issues.length < maxIssues) {
      this.issues.push({ ...issue, path: [...path] });
    }
  }

  #at(path: Path): unknown {
    return path.reduce<unknown>(
      (value, step) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, step)
          ? Reflect.get(value, step)
          : undefined,
      this.#root,
    );
  }

  #set(path: Path, value: unknown): void {
    this.#root = this.#owned(this.#root);
    let parent = Object(this.#root);
    for (const step of path.slice(0, -1)) {
      const child = this.#owned(Reflect.get(parent, step));
      Reflect.set(parent, step, child);
      parent = Object(child);
    }
    const last = path.at(-1) ?? "";
    this.#own.get(parent)?.set(last, this.#round);
    if (value === undefined) {
      Reflect.deleteProperty(parent, last);
    } else {
      Reflect.set(parent, last, value);
    }
  }

  /**
   * True if the value at a path, or a part of it, was changed. Issues caused by a change are not
   * recorded.
   */
  #isChanged(path: Path): boolean {
    const value = this.#at(path);
    if (typeof value === "object" && value !== null && this.#own.has(value)) {
      return true;
    }
    if (path.length === 0) {
      return false;
    }
    const parent = this.#at(path.slice(0, -1));
    return (
      typeof parent !== "object" ||
      parent === null ||
      (this.#own.get(parent)?.has(path.at(-1) ?? "") ?? false)
    );
  }

  /**
   * Returns a copy of a container; the caller may modify the copy. Other values are returned as
   * they are.
   */
  #owned(value: unknown): unknown {
    if (typeof value !== "object" || value === null || this.#own.has(value)) {
      return value;
    }
    const copy = Array.isArray(value) ? [...value] : { ...value };
    this.#own.set(copy, new Map());
    return copy;
  }

  /** The value without the dropped members of its lists. */
  compacted(): unknown {
    this.#positions = new Map();
    return this.#compact(this.#root);
  }

  #compact(value: unknown): unknown {
    if (typeof value !== "object" || value === null || !this.#own.has(value)) {
      return value;
    }
    if (!Array.isArray(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([name, field]) => [name, this.#compact(field)]),
      );
    }
    const kept = value.flatMap((member, position) => (member === dropped ? [] : [position]));
    const members = kept.map((position) => this.#compact(value[position]));
    this.#positions.set(value, kept);
    return members;
  }

  /** Converts a path in {@link compacted} to the path in the sent value. */
  sentPath(path: Path): Path {
    let value = this.#root;
    return path.map((step) => {
      const key = typeof step === "number" ? (this.#positions.get(value)?.[step] ?? step) : step;
      value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
      return key;
    });
  }
}

/**
 * True for a structural issue: an error in the program that sent the value, not in a device's text.
 */
const isFatal = (issue: ZodIssue, path: Path): boolean =>
  path.length === 0 ||
  issue.code === "unrecognized_keys" ||
  ((issue.code === "too_big" || issue.code === "too_small") && issue.origin === "array");
