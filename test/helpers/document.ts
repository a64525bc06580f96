import * as z from "zod";
import committed from "../../src/docs/assets/openapi.json" with { type: "json" };

const reference = z.object({ $ref: z.string() });

/** An OpenAPI document, as far as following its references depends on it. */
interface Referred {
  components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * A copy of a piece of a document with the references to some components replaced by the components.
 * @param follows by the kind of the component, such as `parameters`, and its name
 * @throws {Error} when a reference is to no component
 */
export function withReferencesFollowed(
  document: Referred,
  piece: unknown,
  follows: (kind: string, name: string) => boolean,
): unknown {
  if (Array.isArray(piece)) {
    return piece.map((inner) => withReferencesFollowed(document, inner, follows));
  }
  if (typeof piece !== "object" || piece === null) {
    return piece;
  }
  const { data } = reference.safeParse(piece);
  const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(\w+)$/.exec(data?.$ref ?? "") ?? [];
  if (data && follows(kind, name)) {
    const component = document.components[kind]?.[name];
    if (component === undefined) {
      throw new Error(`The document has no component ${data.$ref}.`);
    }
    return withReferencesFollowed(document, component, follows);
  }
  return Object.fromEntries(
    Object.entries(piece).map(([key, inner]) => [
      key,
      withReferencesFollowed(document, inner, follows),
    ]),
  );
}

/** The operations of the committed document by path and method, with references to schemas alone. */
export const paths: unknown = withReferencesFollowed(
  committed,
  committed.paths,
  (kind) => kind !== "schemas",
);
