import { html } from "hono/html";
import type { Document, Schema } from "./document.ts";
import { inline, type Markup } from "./markup.ts";

const nameIn = (reference: string) => reference.split("/").at(-1) ?? "";

/** Replaces references to schemas without parts, such as ids: their types need no link. */
export const withScalars = (document: Document): Document =>
  JSON.parse(JSON.stringify(document), (_, value) => {
    const target = document.components.schemas[nameIn(String(value?.$ref))];
    const isScalar = target && !(target.properties ?? target.oneOf ?? target.anyOf ?? target.items);
    return isScalar && !target.additionalProperties
      ? { ...target, ...value, $ref: undefined }
      : value;
  });

/** A link to a schema of the page. */
const link = (name: string) => html`<a href="#schema-${name}">${name}</a>`;

/** Joins markup, which `Array.join` would escape twice. */
const joined = (parts: readonly Markup[], by: string): Markup =>
  html`${parts.map((part, index) => html`${index === 0 ? "" : by}${part}`)}`;

/** The bounds of a value, such as `1 to 100 characters`. */
function boundsOf(schema: Schema): string {
  const range = (low: number | undefined, high: number | undefined, unit: string) => {
    const least = low === undefined || low === 0 ? null : low;
    const most = high === undefined || high >= Number.MAX_SAFE_INTEGER ? null : high;
    return most === null
      ? least === null
        ? []
        : [`at least ${least}${unit}`]
      : [least === null ? `at most ${most}${unit}` : `${least} to ${most}${unit}`];
  };
  // The length of a format, such as a UUID, is no news.
  const length = schema.format === undefined ? schema.maxLength : undefined;
  return [
    ...range(schema.minimum, schema.maximum, ""),
    ...range(schema.minLength, length, " characters"),
    ...range(schema.minItems, schema.maxItems, " items"),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ].join(", ");
}

/** The type of a value, with links to the schemas that it names. */
export function typeOf(schema: Schema): Markup {
  if (schema.$ref !== undefined) {
    return link(nameIn(schema.$ref));
  }
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) {
    const types = variants.map(typeOf);
    const texts = types.map(String);
    return joined(
      types.filter((_, index) => texts.indexOf(texts[index] ?? "") === index),
      " or ",
    );
  }
  if (schema.enum) {
    return joined(
      schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      " ",
    );
  }
  const types = [schema.type ?? "any"].flat().map((type) => {
    if (type === "array" && schema.items) {
      return html`array of ${typeOf(schema.items)}`;
    }
    return html`${type === "string" ? (schema.format ?? type) : type}`;
  });
  return joined(types, " or ");
}

/** The type and the bounds of a value. */
export const typeAndBounds = (schema: Schema): Markup => {
  const bounds = boundsOf(schema);
  return html`<span class="type">${typeOf(schema)}${bounds && `, ${bounds}`}</span>`;
};

/** The fields of an object, or the type of another schema. */
function fieldsOf(schema: Schema): Markup {
  const { properties, required = [], additionalProperties } = schema;
  const rest =
    typeof additionalProperties === "object"
      ? html`<p>Any name: ${typeAndBounds(additionalProperties)}</p>`
      : "";
  if (!properties) {
    return rest === "" ? html`<p>${typeAndBounds(schema)}</p>` : rest;
  }
  return html`<dl class="fields">${Object.entries(properties).map(
    ([name, field]) => html`
      <div>
        <dt><code>${name}</code>${required.includes(name) ? "" : html` <i>optional</i>`}</dt>
        <dd>${typeAndBounds(field)}${field.description && html` ${inline(field.description)}`}${nestedIn(field)}</dd>
      </div>`,
  )}
    </dl>${rest}`;
}

/** The fields of an object that is not a component. */
function nestedIn(schema: Schema): Markup {
  const nested = [schema, schema.items ?? {}, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return html`${nested.filter(({ properties }) => properties).map(fieldsOf)}`;
}

/** The names of the schemas that these schemas refer to, directly or not, in alphabetical order. */
export function schemasBehind(schemas: readonly Schema[], { components }: Document): string[] {
  const names = new Set<string>();
  const visit = (schema: Schema | undefined): void => {
    if (!schema) {
      return;
    }
    if (schema.$ref !== undefined && !names.has(nameIn(schema.$ref))) {
      names.add(nameIn(schema.$ref));
      visit(components.schemas[nameIn(schema.$ref)]);
    }
    const { items, oneOf = [], anyOf = [], properties = {}, additionalProperties } = schema;
    for (const part of [...oneOf, ...anyOf, ...Object.values(properties)]) {
      visit(part);
    }
    visit(items);
    visit(typeof additionalProperties === "object" ? additionalProperties : undefined);
  };
  for (const schema of schemas) {
    visit(schema);
  }
  return [...names].sort((one, other) => one.localeCompare(other));
}

/** A schema that opens on request. A link to the element inside opens it too. */
export const schemaSection = (name: string, schema: Schema): Markup => html`
  <details>
    <summary><code>${name}</code></summary>
    <div id="schema-${name}">
      ${schema.description && html`<p>${inline(schema.description)}</p>`}
      ${fieldsOf(schema)}
    </div>
  </details>`;
