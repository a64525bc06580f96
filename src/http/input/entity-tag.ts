import * as z from "zod";

interface EntityTag {
  isWeak: boolean;
  /** Includes the quotes. */
  text: string;
}

/**
 * One entity tag (RFC 9110, section 8.8.3). No character can match more than one part of the
 * pattern, so matching takes linear time.
 */
const entityTag = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/y;

/** Separators, which may also occur at the start and end of the list. */
const separator = /[ \t,]*/y;

/** Parses `*` or a list of entity tags; null if the header is neither. */
function parse(header: string): "*" | EntityTag[] | null {
  if (header.trim() === "*") {
    return "*";
  }
  const tags: EntityTag[] = [];
  let position = 0;
  const skip = () => {
    separator.lastIndex = position;
    const skipped = separator.exec(header)?.[0] ?? "";
    position += skipped.length;
    return skipped;
  };
  for (let before = skip(); position < header.length; before = skip()) {
    entityTag.lastIndex = position;
    const [whole, weak, text] = entityTag.exec(header) ?? [];
    if (whole === undefined || text === undefined || (tags.length > 0 && !before.includes(","))) {
      return null;
    }
    position += whole.length;
    tags.push({ isWeak: weak !== undefined, text });
  }
  return tags.length > 0 ? tags : null;
}

/** Maximum length of the header, in characters. */
const maximumLength = 1024;

const strong = (tags: readonly EntityTag[]): string[] =>
  tags.filter(({ isWeak }) => !isWeak).map(({ text }) => text);

const entityTags = z
  .string()
  .max(maximumLength)
  .transform((header, { issues }) => {
    const tags = parse(header);
    if (tags === null) {
      const message = 'must be * or a list of entity tags, such as "19bfa2c1d4b-2a"';
      issues.push({ code: "custom", input: header, message });
      return z.NEVER;
    }
    return tags;
  });

/**
 * If-Match (RFC 9110, section 13.1.1): the entity tags of the states that a change may overwrite;
 * undefined if it may overwrite any state. Weak tags never match.
 */
export const ifMatch = entityTags
  .transform((tags) => (tags === "*" ? undefined : strong(tags)))
  .optional();

/**
 * {@link ifMatch} for a request that may create the record: `*` matches every state, but not the
 * absence of a record.
 */
export const ifMatchOrAny = entityTags
  .transform((tags) => (tags === "*" ? tags : strong(tags)))
  .optional();

/**
 * If-None-Match (RFC 9110, section 13.1.2): a predicate that is true for the entity tags that the
 * caller already has. It takes a tag without `W/`, since the comparison is weak.
 */
export const ifNoneMatch = entityTags
  .transform((tags) => (etag: string) => tags === "*" || tags.some(({ text }) => text === etag))
  .optional();
export type IsKnown = z.output<typeof ifNoneMatch>;
