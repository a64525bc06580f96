import * as z from "zod";
import { maxIssues } from "../errors/errors.ts";
import { repeated } from "../http/input/each-once.ts";
import { orNone } from "../http/input/or-none.ts";
import { storableRule, textOf } from "../http/input/text.ts";
import { issueMessage } from "../http/validation/issue-message.ts";

/**
 * Characters that XML forbids (XML 1.0, section 2.2), and Postgres NUL. Devices send them in their texts: SNMP
 * agents end theirs with NUL, and banners hold control sequences of terminals.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** A text of 1 to so many characters that a device wrote. What is wrong with it, {@link takeDetails} mends. */
export const deviceText = (maximum: number) =>
  z
    .string()
    .refine((text) => text.search(forbidden) === -1, {
      error: "must not contain control characters",
    })
    .trim()
    .meta({ minLength: 1, maxLength: maximum, pattern: "\\S" })
    .pipe(textOf(1, maximum));

/** {@link deviceText} that may be null or left out. Blanks alone are null. */
export const optionalDeviceText = (maximum: number) =>
  orNone(deviceText(maximum)).meta({
    description: `At most ${maximum} characters; null where there is none. ${storableRule}`,
  });

/** The first characters of a text, without those that no text may have. Half a surrogate pair becomes U+FFFD. */
export function cleanText(text: string, maximum = text.length): string {
  // A character is at most two units, and blanks and forbidden ones go.
  const clean = text
    .slice(0, 4 * maximum + 64)
    .toWellFormed()
    .replaceAll(forbidden, "")
    .trim();
  return clean.length <= maximum ? clean : [...clean].slice(0, maximum).join("").trim();
}

type Path = readonly PropertyKey[];
type ZodIssue = z.core.$ZodIssue;

/** What is valid of a value that a device or a program has sent. */
export interface Details<Value> {
  /** Null where nothing can be taken. */
  value: Value | null;
  /** Why nothing can be taken, or what was left out, cut or cleaned, by its path in what was sent: the first 100. */
  issues: readonly ZodIssue[];
  /** Where something was left out, but for repetitions: fields, and members of lists that are not complete without one. */
  lost: readonly Path[];
  /** The path in what was sent of one in the value, whose lists lack what was left out. */
  sentPath(path: Path): Path;
}

/** In the place of a member of a list that was left out. */
const nothing = Symbol("nothing");

/** At most so often is what is left judged again: a text is cleaned, cut and left out, and so is what needs it. */
const maximumRounds = 12;

/**
 * Takes what is valid of a value (API contract, section 10): a detail that cannot be taken costs only itself. A
 * text is cleaned and cut; any other value is left out, with the object around it where that needs it. Nothing is
 * taken where a field is unknown, a list is too long, or the value itself is not complete without what is left out.
 * @param schema of what is valid. Fields that may be left out are optional in it
 * @param sent stays as it is
 * @param known the issues of `sent`, where they were found already
 */
export function takeDetails<Value>(
  schema: z.ZodType<Value>,
  sent: unknown,
  known?: readonly ZodIssue[],
): Details<Value> {
  let found = known;
  if (found === undefined) {
    const judged = schema.safeParse(sent, { error: issueMessage });
    if (judged.success) {
      return { value: judged.data, issues: [], lost: [], sentPath: (path) => path };
    }
    found = judged.error.issues;
  }
  const draft = new Draft(sent);
  const detailsOf = (value: Value | null): Details<Value> => ({
    value,
    issues: draft.issues,
    lost: draft.lost,
    sentPath: (path) => draft.sentPath(path),
  });
  for (let round = 0; round < maximumRounds; round++) {
    if (!draft.mendAll(found)) {
      return detailsOf(null);
    }
    const judged = schema.safeParse(draft.compacted(), { error: issueMessage });
    if (judged.success) {
      return detailsOf(judged.data);
    }
    found = judged.error.issues;
  }
  return detailsOf(null);
}

/** A value of JSON that is changed until it is valid. Only what changes is copied. */
class Draft {
  readonly issues: ZodIssue[] = [];
  readonly lost: Path[] = [];
  #root: unknown;
  /** The containers that were copied, and in which round what was changed in them last, by its key. */
  readonly #own = new Map<object, Map<PropertyKey, number>>();
  #round = 0;
  /** The places that the members of a shortened list had in what was sent. */
  #places = new Map<unknown, readonly number[]>();

  constructor(sent: unknown) {
    this.#root = sent;
  }

  /** @returns whether every issue could be mended */
  mendAll(found: readonly ZodIssue[]): boolean {
    this.#round++;
    // Paths are those of the last round: lists were shortened.
    const judged = found.map((issue) => ({ issue, path: this.sentPath(issue.path) }));
    if (judged.some(({ issue, path }) => isFatal(issue, path))) {
      for (const { issue, path } of judged) {
        // A list may be empty because of what was left out of it, which has an issue.
        if (issue.code === "unrecognized_keys" || !this.#isChanged(path)) {
          this.#note(issue, path);
        }
      }
      return false;
    }
    return judged.every(({ issue, path }) => this.#mend(issue, path));
  }

  #mend(issue: ZodIssue, path: Path): boolean {
    const parent = this.#at(path.slice(0, -1));
    const changed =
      typeof parent === "object" && parent !== null
        ? this.#own.get(parent)?.get(path.at(-1) ?? "")
        : this.#round;
    if (changed === this.#round) {
      // Another issue of this round was of the same value, or one around it.
      return true;
    }
    if (!this.#isChanged(path)) {
      this.#note(issue, path);
    }
    const value = this.#at(path);
    if (value === undefined) {
      return this.#leaveOut(path.slice(0, -1));
    }
    if (typeof value === "string") {
      const clean = cleanText(value);
      const cut =
        issue.code === "too_big" ? cleanText(value, Math.min(Number(issue.maximum), 4096)) : clean;
      const mended = clean === value.trim() ? cut : clean;
      if (mended !== value.trim()) {
        this.#set(path, mended);
        return true;
      }
    }
    if (issue.code === "custom" && issue.params === repeated) {
      const member = path.findLastIndex((step) => typeof step === "number");
      return this.#leaveOut(path.slice(0, member + 1), true);
    }
    return this.#leaveOut(path);
  }

  /** @param isRepeated whether the draft has another one of it */
  #leaveOut(path: Path, isRepeated = false): boolean {
    if (path.length === 0) {
      return false;
    }
    const parent = this.#at(path.slice(0, -1));
    if (!isRepeated) {
      this.lost.push(path);
    }
    this.#set(path, Array.isArray(parent) ? nothing : undefined);
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

  /** Whether anything at or in a path was changed: what follows from a change is no issue of its own. */
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

  /** A container that may be changed. */
  #owned(value: unknown): unknown {
    if (typeof value !== "object" || value === null || this.#own.has(value)) {
      return value;
    }
    const copy = Array.isArray(value) ? [...value] : { ...value };
    this.#own.set(copy, new Map());
    return copy;
  }

  /** The value without what was left out of its lists. */
  compacted(): unknown {
    this.#places = new Map();
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
    const kept = value.flatMap((member, place) => (member === nothing ? [] : [place]));
    const members = kept.map((place) => this.#compact(value[place]));
    this.#places.set(value, kept);
    return members;
  }

  /** The path in what was sent of one in {@link compacted}. */
  sentPath(path: Path): Path {
    let value = this.#root;
    return path.map((step) => {
      const place = typeof step === "number" ? (this.#places.get(value)?.[step] ?? step) : step;
      value = typeof value === "object" && value !== null ? Reflect.get(value, place) : undefined;
      return place;
    });
  }
}

/** Whether an issue is one of form: the program that sent it is wrong, not what a device says. */
const isFatal = (issue: ZodIssue, path: Path): boolean =>
  path.length === 0 ||
  issue.code === "unrecognized_keys" ||
  ((issue.code === "too_big" || issue.code === "too_small") && issue.origin === "array");
