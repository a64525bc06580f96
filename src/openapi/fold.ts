import { id } from "../http/input/id.ts";
import { cidr, ipAddress } from "../http/input/network.ts";
import { ownDataInput } from "../http/input/own-data.ts";
import { ignoredId, ignoredTimestamp } from "../http/input/record.ts";
import { optionalText, name as recordName, textOf } from "../http/input/text.ts";
import { type Json, toJsonSchemas } from "./json-schema.ts";

/** The kinds of components that {@link named} can name. */
type Kind = "examples" | "parameters" | "responses";

const names = new WeakMap<object, { kind: Kind; name: string }>();

/**
 * Names a part of the OpenAPI document without changing it; {@link fold} turns equal parts into one
 * component with this name.
 */
export function named<Part extends object>(kind: Kind, name: string, part: Part): Part {
  names.set(part, { kind, name });
  return part;
}

/** Schemas of single values that many objects contain, by component name. */
const values = [
  ["Id", id, "output"],
  ["IdInput", id, "input"],
  ["OptionalId", id.nullable(), "output"],
  ["IPAddressText", ipAddress, "input"],
  ["Cidr", cidr, "input"],
  ["NameInput", recordName, "input"],
  ["OptionalText", textOf(1, 255).nullable(), "output"],
  ["OptionalTextInput", optionalText(255), "input"],
  ["NullableTextInput", optionalText(255).unwrap(), "input"],
  ["ExternalIdInput", ownDataInput.external_id, "input"],
  ["IgnoredIdInput", ignoredId, "input"],
  ["IgnoredTimestampInput", ignoredTimestamp, "input"],
] as const;

const valueNames = new Map(
  values.map(([name, schema, direction]) => [
    JSON.stringify(toJsonSchemas([schema], direction).schemas.get(schema)),
    name,
  ]),
);

/** A part that can become a component. */
interface Part {
  kind: Kind | "schemas";
  name: string;
  text: string;
}

const keyOf = ({ kind, text }: Part) => `${kind} ${text}`;

function partOf(piece: unknown): Part | undefined {
  if (typeof piece !== "object" || piece === null) {
    return undefined;
  }
  const text = JSON.stringify(piece);
  const known = names.get(piece);
  if (known) {
    return { ...known, text };
  }
  const name = valueNames.get(text);
  return name === undefined ? undefined : { kind: "schemas", name, text };
}

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Replaces parts that occur more than once with references to components. Resolving these
 * references yields the original document.
 * @throws {Error} if two different components have the same name
 */
export function fold<Document extends { paths: Json; webhooks: Json; components: Components }>(
  document: Document,
) {
  const folding = new Folding();
  const components = Object.entries(document.components);
  const parts = components.flatMap(([, some]) => Object.values(some));
  for (const piece of [document.paths, document.webhooks, ...parts]) {
    folding.count(piece);
  }
  const paths = folding.inside(document.paths);
  const webhooks = folding.inside(document.webhooks);
  for (const [kind, some] of components) {
    for (const [name, piece] of Object.entries(some)) {
      folding.add(kind, name, piece);
    }
  }
  return { ...document, paths, webhooks, components: folding.components() };
}

class Folding {
  readonly #counts = new Map<string, number>();
  readonly #components = new Map<string, Map<string, { text: string; folded: unknown }>>();

  /**
   * Counts the parts inside a piece. Parts inside identical parts are counted once, because they
   * are written once.
   */
  count(piece: unknown): void {
    if (typeof piece !== "object" || piece === null) {
      return;
    }
    for (const inner of Object.values(piece)) {
      const part = partOf(inner);
      const before = part ? (this.#counts.get(keyOf(part)) ?? 0) : 0;
      if (part) {
        this.#counts.set(keyOf(part), before + 1);
      }
      if (before === 0) {
        this.count(inner);
      }
    }
  }

  /** Copies a piece, and replaces repeated parts inside it with references. */
  inside(piece: unknown): unknown {
    if (Array.isArray(piece)) {
      return piece.map((inner) => this.#folded(inner));
    }
    return typeof piece === "object" && piece !== null
      ? Object.fromEntries(Object.entries(piece).map(([key, inner]) => [key, this.#folded(inner)]))
      : piece;
  }

  #folded(piece: unknown): unknown {
    const part = partOf(piece);
    if (!part || (this.#counts.get(keyOf(part)) ?? 0) < 2) {
      return this.inside(piece);
    }
    this.add(part.kind, part.name, piece);
    return { $ref: `#/components/${part.kind}/${part.name}` };
  }

  add(kind: string, name: string, piece: unknown): void {
    const ofKind = this.#components.get(kind) ?? new Map();
    this.#components.set(kind, ofKind);
    const text = JSON.stringify(piece);
    const known = ofKind.get(name);
    if (known === undefined) {
      ofKind.set(name, { text, folded: this.inside(piece) });
    } else if (known.text !== text) {
      throw new Error(`Two different components of ${kind} would be named ${name}.`);
    }
  }

  /** All components, by kind and name. */
  components() {
    return Object.fromEntries(
      [...this.#components].map(([kind, ofKind]) => [
        kind,
        Object.fromEntries(
          [...ofKind]
            .sort(([one], [other]) => (one < other ? -1 : 1))
            .map(([name, { folded }]) => [name, folded]),
        ),
      ]),
    );
  }
}
