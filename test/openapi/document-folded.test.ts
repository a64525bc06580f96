import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { app } from "../../src/app.ts";
import { buildDocument } from "../../src/openapi/document.ts";
import { fold, named } from "../../src/openapi/fold.ts";
import { loadDescriptions } from "../../src/openapi/load.ts";
import { withReferencesFollowed } from "../helpers/document.ts";

/** The maximum number of lines in the committed document, so that it can be reviewed. */
const maximumLines = 54_200;

const documentSchema = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.record(z.string(), z.record(z.string(), z.unknown())),
});
type Document = z.output<typeof documentSchema>;
const asJson = (document: object): Document =>
  documentSchema.parse(JSON.parse(JSON.stringify(document)));

describe("the service's document", () => {
  let document: Document;
  let folded: Document;
  beforeAll(async () => {
    await loadDescriptions(app);
    const built = buildDocument(app);
    document = asJson(built);
    folded = asJson(fold(built));
  });

  test("equals the unfolded document once the new references are resolved", () => {
    const isNew = (kind: string, name: string) => document.components[kind]?.[name] === undefined;
    const { components, ...followed } = documentSchema.parse(
      withReferencesFollowed(folded, folded, isNew),
    );
    const { components: before, ...expected } = document;
    expect(followed).toEqual(expected);
    expect(components).toMatchObject(before);
    const names = Object.entries(components).flatMap(([kind, some]) =>
      Object.keys(some).filter((name) => isNew(kind, name)),
    );
    expect(names).toEqual(expect.arrayContaining(["HostNotFound", "LimitQueryParameter", "Id"]));
  });

  test.each(["parameters", "responses"])("does not contain two equal %s of operations", (kind) => {
    const written = Object.values(folded.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap((operation) => Object.values(Object(operation)[kind]))
      .map((part) => JSON.stringify(part))
      .filter((text) => !text.startsWith('{"$ref"'));
    expect(written.filter((text, index) => written.indexOf(text) !== index)).toEqual([]);
  });

  test("has no parameter or response with the same name as a schema, since generators create types for all three", () => {
    const kinds = ["parameters", "responses", "schemas"];
    const names = kinds.flatMap((kind) => Object.keys(folded.components[kind] ?? {}));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test("is short enough to be reviewed", () => {
    expect(JSON.stringify(folded, null, 2).split("\n").length).toBeLessThanOrEqual(maximumLines);
  });
});

describe("folding", () => {
  const example = (text: string) => named("examples", "Greeting", { value: text });

  test("does not move a part that occurs once", () => {
    const document = {
      paths: { first: example("hello"), second: {} },
      webhooks: {},
      components: {},
    };
    expect(fold(document)).toEqual(document);
  });

  test("moves a part that occurs twice, or within two components, into a component", () => {
    const response = (name: string) =>
      named("responses", name, { description: name, example: example("hello") });
    const paths = {
      first: response("One"),
      second: response("One"),
      third: response("Two"),
      fourth: response("Two"),
    };
    const greeting = { $ref: "#/components/examples/Greeting" };
    expect(fold({ paths, webhooks: {}, components: {} })).toEqual({
      webhooks: {},
      paths: {
        first: { $ref: "#/components/responses/One" },
        second: { $ref: "#/components/responses/One" },
        third: { $ref: "#/components/responses/Two" },
        fourth: { $ref: "#/components/responses/Two" },
      },
      components: {
        examples: { Greeting: { value: "hello" } },
        responses: {
          One: { description: "One", example: greeting },
          Two: { description: "Two", example: greeting },
        },
      },
    });
  });

  test("refuses to use the same name for two different components", () => {
    const paths = {
      first: [example("hello"), example("hello")],
      second: [example("goodbye"), example("goodbye")],
    };
    expect(() => fold({ paths, webhooks: {}, components: {} })).toThrow(
      "Two different components of examples would be named Greeting",
    );
  });
});
