import * as z from "zod";

/** A JSON Schema, with the keywords that the reference shows. */
export interface Schema {
  $ref?: string | undefined;
  type?: string | string[] | undefined;
  format?: string | undefined;
  description?: string | undefined;
  enum?: unknown[] | undefined;
  default?: unknown;
  minimum?: number | undefined;
  maximum?: number | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  minItems?: number | undefined;
  maxItems?: number | undefined;
  items?: Schema | undefined;
  oneOf?: Schema[] | undefined;
  anyOf?: Schema[] | undefined;
  properties?: Record<string, Schema> | undefined;
  required?: string[] | undefined;
  additionalProperties?: boolean | Schema | undefined;
}

const schema: z.ZodType<Schema> = z.object({
  $ref: z.string().optional(),
  type: z.string().or(z.array(z.string())).optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  items: z.lazy(() => schema).optional(),
  oneOf: z.lazy(() => z.array(schema)).optional(),
  anyOf: z.lazy(() => z.array(schema)).optional(),
  properties: z.lazy(() => z.record(z.string(), schema)).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.lazy(() => z.boolean().or(schema)).optional(),
});

const media = z.object({ schema: schema.optional(), example: z.unknown().optional() });
const reference = z.object({ $ref: z.string() });

const parameter = z.object({
  name: z.string(),
  in: z.enum(["path", "query", "header"]),
  required: z.boolean().optional(),
  description: z.string(),
  schema,
  examples: z
    .object({ default: z.object({ value: z.unknown(), "x-disabled": z.boolean().optional() }) })
    .optional(),
});
export type Parameter = z.output<typeof parameter>;

const response = z.object({
  description: z.string(),
  content: z.record(z.string(), media).optional(),
});

const operation = z.object({
  operationId: z.string(),
  tags: z.tuple([z.string()]),
  summary: z.string(),
  description: z.string(),
  parameters: z.array(z.union([reference, parameter])),
  requestBody: z.object({ content: z.record(z.string(), media) }).optional(),
  responses: z.record(z.string(), z.union([reference, response])),
});
export type Operation = z.output<typeof operation>;

/** The parts of the OpenAPI document that the reference shows. */
export const documentSchema = z.object({
  info: z.object({ title: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({
    parameters: z.record(z.string(), parameter),
    responses: z.record(z.string(), response),
    schemas: z.record(z.string(), schema),
  }),
});
export type Document = z.output<typeof documentSchema>;
