import * as z from "zod";

const entityTag = /^(W\/)?("[\x21\x23-\x7e\x80-\xff]*")$/;

/** The members of a list of entity tags, which may hold commas inside their quotes. */
const members = /\s*((?:W\/)?"[^"]*"|[^,"]*)\s*(?:,|$)/gy;

interface EntityTag {
  isWeak: boolean;
  /** With its quotes. */
  text: string;
}

/** `*`, or entity tags (RFC 9110, section 8.8.3). Null where it is neither. */
function parse(header: string): "*" | EntityTag[] | null {
  if (header.trim() === "*") {
    return "*";
  }
  const tags: EntityTag[] = [];
  for (const [, member = ""] of header.matchAll(members)) {
    const [, weak, text] = entityTag.exec(member.trim()) ?? [];
    if (text !== undefined) {
      tags.push({ isWeak: weak !== undefined, text });
    } else if (member.trim() !== "") {
      return null;
    }
  }
  return tags.length > 0 ? tags : null;
}

/** The longest such header that is read, in characters. */
const maximumLength = 4096;

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
 * If-Match (RFC 9110, section 13.1.1): the entity tags that a change may overwrite; undefined for
 * every one. A weak tag never matches.
 */
export const ifMatch = entityTags
  .transform((tags) =>
    tags === "*" ? undefined : tags.filter(({ isWeak }) => !isWeak).map(({ text }) => text),
  )
  .optional();

/** If-None-Match (RFC 9110, section 13.1.2): whether the caller has this version already. */
export const ifNoneMatch = entityTags
  .transform((tags) => (etag: string) => tags === "*" || tags.some(({ text }) => text === etag))
  .optional();
