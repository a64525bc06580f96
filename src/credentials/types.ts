import * as z from "zod";
import { textOf } from "../http/input/text.ts";
import { certificateSchema, passwordSchema, privateKeySchema, secretSchema } from "./secret.ts";

const isBlankText = (value: unknown) => typeof value === "string" && value.trim() === "";

/** True for blank text, or a blank secret or PEM, since this is how forms send an empty field. */
function isBlank(sent: unknown): boolean {
  if (typeof sent !== "object" || sent === null) {
    return isBlankText(sent);
  }
  const { mode, value, path, ...unknown }: Readonly<Record<string, unknown>> = { ...sent };
  const [given, other] = mode === "FilePath" ? [path, value] : [value, path];
  return (
    (mode === "Inline" || mode === "FilePath") &&
    isBlankText(given) &&
    other === undefined &&
    Object.keys(unknown).length === 0
  );
}

/**
 * An optional field. Null, blank text and a missing field become null (API contract, section 7).
 */
const optional = <Output, Input>(value: z.ZodType<Output, Input>) => {
  const field = z
    .preprocess((sent) => (isBlank(sent) ? null : sent), value.nullable())
    .default(null)
    .meta({ input: { default: null } });
  // `preprocess` accepts unknown input; this type states the expected input.
  return field as z.ZodType<Output | null, Input | null | undefined>;
};

const type = <Name extends string, Fields extends z.core.$ZodLooseShape>(
  name: Name,
  fields: Fields,
) =>
  z
    .strictObject({ type: z.literal(name).meta({ id: `${name}Type` }), ...fields })
    .meta({ id: name });

/**
 * The credential types, each with its settings and secrets (API contract, section 3). To add a
 * type, add one entry here: sealing, masking and filtering are derived from its fields.
 */
const credentialTypes = [
  type("SnmpV1", { community: secretSchema }),
  type("SnmpV2c", { community: secretSchema }),
  type("SnmpV3", {
    security_name: textOf(1, 255),
    auth_protocol: z.enum(["Sha1", "Sha256"]),
    auth_password: passwordSchema,
    priv_protocol: z.enum(["Aes128", "Aes256"]),
    priv_password: passwordSchema,
    context_name: optional(textOf(0, 255)),
  }),
  type("DockerProxy", {
    port: z.int().min(1).max(65535).default(2375),
    path: optional(textOf(0, 255)),
    ssl_cert: optional(certificateSchema),
    ssl_chain: optional(certificateSchema),
    ssl_key: optional(privateKeySchema),
  }),
  type("DockerSocket", {}),
] as const;

const names = credentialTypes.map((variant) => variant.shape.type.value);

/** The credential type of a request. */
export const credentialTypeSchema = z
  .discriminatedUnion("type", credentialTypes, {
    error: ({ code }) =>
      code === "invalid_union" ? `must be one of ${names.join(", ")}` : undefined,
  })
  .meta({
    id: "CredentialType",
    description: "The protocol for access to a host, with its settings and secrets.",
  });
export type CredentialType = z.output<typeof credentialTypeSchema>;

/** Filter values that stand for several types. */
const families: Readonly<Record<string, readonly string[]>> = {
  Snmp: names.filter((name) => name.startsWith("Snmp")),
};

/** The values of the list's `type` filter. */
export const credentialTypeFilters = [...names, ...Object.keys(families)];

/** The types that match a filter value. */
export const typesOfFilter = (filter: string): readonly string[] => families[filter] ?? [filter];
