/** Truncates text, never inside a surrogate pair, and marks the cut with an ellipsis. */
export function cut(text: string, maximum: number): string {
  const start = text.slice(0, maximum);
  return text.length <= maximum ? text : `${start.replace(/[\ud800-\udbff]$/, "")}…`;
}

/** `1 second`, `2 seconds`. */
export const count = (number: number, noun: string) =>
  `${number} ${noun}${number === 1 ? "" : "s"}`;

/**
 * The name of a resource as it is written in a sentence: `Daemon` is "daemon", `ApiKey` is "API
 * key".
 */
export const readable = (entity: string) =>
  cut(entity, 64)
    .replace(/^Api/, "API")
    .replaceAll(/([a-z])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3 $2")
    .replaceAll(/ {2,}/g, " ")
    .split(" ")
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(" ");

/** "a tag", "an IP address". */
export const withArticle = (noun: string) => `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;

const joined = (conjunction: string) => (items: readonly string[]) =>
  items.length < 2
    ? items.join("")
    : `${items.slice(0, -1).join(", ")} ${conjunction} ${items.slice(items.length - 1).join("")}`;

/** `A`, `A or B`, `A, B or C`. */
export const listed = joined("or");

/** `A`, `A and B`, `A, B and C`. */
export const listedWithAnd = joined("and");
