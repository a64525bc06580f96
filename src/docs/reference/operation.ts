import { html } from "hono/html";
import type { Document, Operation, Parameter, Schema } from "./document.ts";
import { inline, type Markup, markdown } from "./markup.ts";
import { typeAndBounds } from "./schemas.ts";

/** An operation with its parameters and responses instead of references to them. */
export interface Resolved extends Omit<Operation, "parameters" | "responses"> {
  method: string;
  path: string;
  parameters: Parameter[];
  responses: [status: string, response: Document["components"]["responses"][string]][];
}

/** The component that a reference names, or the value itself. */
function resolved<Value extends object>(
  value: Value | { $ref: string },
  components: Readonly<Record<string, Value>>,
): Value {
  if (!("$ref" in value)) {
    return value;
  }
  const component = components[value.$ref.split("/").at(-1) ?? ""];
  if (!component) {
    throw new Error(`The document lacks ${value.$ref}.`);
  }
  return component;
}

/** All operations, in the order of the document. */
export const operationsOf = ({ paths, components }: Document): Resolved[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters.map((one) => resolved(one, components.parameters)),
      responses: Object.entries(operation.responses).map(([status, one]) => [
        status,
        resolved(one, components.responses),
      ]),
    })),
  );

const isFailure = (status: string) => Number(status) >= 400;

/** The schemas of the body and of the successful responses. Failures share one envelope. */
export const schemasOf = ({ requestBody, responses, parameters }: Resolved): Schema[] => [
  ...parameters.map(({ schema }) => schema),
  ...[requestBody, ...responses.flatMap(([status, one]) => (isFailure(status) ? [] : one))].flatMap(
    (one) => Object.values(one?.content ?? {}).flatMap(({ schema }) => schema ?? []),
  ),
];

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join(",") : value === undefined ? "" : String(value);

/** The values to choose from, if the schema lists them. */
const choicesOf = (schema: Schema): unknown[] | undefined =>
  schema.enum ?? (schema.type === "boolean" ? [true, false] : undefined);

/** The field of a parameter: its description, and the input that the script reads. */
function field(
  { name, in: place, required, description, schema, examples }: Parameter,
  operationId: string,
): Markup {
  const id = `${operationId}-${place}-${name}`;
  const example = textOf(examples?.default.value);
  const isPrefilled = examples?.default["x-disabled"] !== true;
  const value = isPrefilled ? example : "";
  const choices = choicesOf(schema);
  const attributes = html`id="${id}" name="${name}" data-in="${place}" aria-describedby="${id}-about"${required ? " required" : ""}`;
  return html`
    <div class="field">
      <label for="${id}"><code>${name}</code>${required ? html` <i>required</i>` : ""}</label>
      ${
        choices
          ? html`<select ${attributes}><option></option>${choices.map(
              (choice) =>
                html`<option${String(choice) === value ? " selected" : ""}>${String(choice)}</option>`,
            )}</select>`
          : html`<input ${attributes}${schema.type === "array" ? " data-list" : ""} value="${value}" placeholder="${value === "" && example !== "" ? `such as ${example}` : ""}" autocomplete="off" spellcheck="false">`
      }
      <div class="about" id="${id}-about">${choices ? "" : typeAndBounds(schema)} ${inline(description)}</div>
    </div>`;
}

/** The body, prefilled with the document's example. */
function bodyField({ operationId, requestBody }: Resolved): Markup {
  const [first, ...others] = Object.entries(requestBody?.content ?? {});
  if (!first) {
    return html``;
  }
  const [mediaType, { schema, example }] = first;
  const text = JSON.stringify(example, null, 2);
  const id = `${operationId}-body`;
  return html`
    <div class="field body">
      <label for="${id}">Body</label>
      <textarea id="${id}" name="body" data-in="body" data-type="${mediaType}" rows="${Math.min(text.split("\n").length, 20)}" autocomplete="off" spellcheck="false" aria-describedby="${id}-about">${text}</textarea>
      <div class="about" id="${id}-about">${schema && typeAndBounds(schema)} as <code>${mediaType}</code>${others.map(([type]) => html`, or <code>${type}</code>`)}</div>
    </div>`;
}

/** Parameters without a value are folded if there are more than this many. */
const unfolded = 4;

function fields(operation: Resolved): Markup {
  const { operationId, parameters } = operation;
  const isNeeded = ({ required, examples }: Parameter) =>
    required === true || (examples !== undefined && examples.default["x-disabled"] !== true);
  const rendered = (some: Parameter[]) => some.map((one) => field(one, operationId));
  const optional = parameters.filter((one) => !isNeeded(one));
  return html`${rendered(parameters.filter(isNeeded))}${bodyField(operation)}${
    optional.length > unfolded
      ? html`<details><summary>${optional.length} optional parameters</summary>${rendered(optional)}</details>`
      : rendered(optional)
  }`;
}

function responses({ responses: all }: Resolved): Markup {
  const successes = all.filter(([status]) => !isFailure(status));
  const failures = all.filter(([status]) => isFailure(status));
  return html`
    <dl class="fields responses">${successes.map(
      ([status, { description, content = {} }]) => html`
      <div>
        <dt><code>${status}</code></dt>
        <dd>${inline(description)}${Object.entries(content).map(
          ([type, { schema }]) => html`
          <span class="type"><code>${type}</code>${schema && html` ${typeAndBounds(schema)}`}</span>`,
        )}</dd>
      </div>`,
    )}
    </dl>
    ${successes.flatMap(([status, { content = {} }]) =>
      Object.values(content)
        .filter(({ example }) => typeof example === "object")
        .map(
          ({ example }) =>
            html`<details><summary>Example of ${status}</summary><pre><code>${JSON.stringify(example, null, 2)}</code></pre></details>`,
        ),
    )}
    <details>
      <summary>Errors: ${failures.map(([status]) => status).join(", ")}</summary>
      <dl class="fields">${failures.map(
        ([status, { description }]) => html`
        <div><dt><code>${status}</code></dt><dd>${markdown(description)}</dd></div>`,
      )}
      </dl>
    </details>`;
}

/** An operation, with the form that sends it. */
export const operationSection = (operation: Resolved): Markup => {
  const { operationId, method, path, summary, description } = operation;
  return html`
    <article aria-labelledby="${operationId}">
      <h2 id="${operationId}"><a href="#${operationId}">${summary}</a></h2>
      <p class="request"><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code></p>
      ${markdown(description)}
      <form data-method="${method}" data-path="${path}" aria-label="${summary}" novalidate>
        ${fields(operation)}
        <button>Send</button>
        <output></output>
      </form>
      ${responses(operation)}
    </article>`;
};
