import * as z from "zod";
import committed from "../../src/docs/assets/openapi.json" with { type: "json" };

const reference = z.object({ $ref: z.string() });

/** The part of an OpenAPI document that is needed to resolve references. */
interface Referred {
  components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Copies a piece of a document and replaces the references to some components with the components
 * themselves.
 * @param follows returns true if a component is to be resolved, given its kind, such as
 * `parameters`, and its name
 * @throws {Error} if a referenced component does not exist
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

/**
 * The operations of the committed document by path and method. All references except those to
 * schemas are resolved.
 */
export const paths: unknown = withReferencesFollowed(
  committed,
  committed.paths,
  (kind) => kind !== "schemas",
);
