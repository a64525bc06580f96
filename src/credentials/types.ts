import * as z from "zod";
import { annotate } from "../http/openapi/describe.ts";
import { storableText, textOf } from "../http/schemas.ts";
import { certificateSchema, passwordSchema, privateKeySchema, secretSchema } from "./secret.ts";

const optional = <Value extends z.ZodType>(value: Value) => value.nullable().default(null);

const type = <Name extends string, Fields extends z.core.$ZodLooseShape>(
  name: Name,
  fields: Fields,
) => {
  const variant = z.strictObject({ type: z.literal(name), ...fields });
  /* @__PURE__ */ annotate(variant, { id: name });
  return variant;
};

/**
 * The credential types: how a host is reached, and with which secrets (API contract, section 3).
 * A new type is one entry here; what is sealed, masked and filtered follows from its fields.
 */
export const credentialTypes = [
  type("SnmpV1", { community: secretSchema }),
  type("SnmpV2c", { community: secretSchema }),
  type("SnmpV3", {
    security_name: textOf(1, 255),
    auth_protocol: z.enum(["Sha1", "Sha256"]),
    auth_password: passwordSchema,
    priv_protocol: z.enum(["Aes128", "Aes256"]),
    priv_password: passwordSchema,
    context_name: optional(storableText),
  }),
  type("DockerProxy", {
    port: z.int().min(1).max(65535).default(2375),
    path: optional(storableText),
    ssl_cert: optional(certificateSchema),
    ssl_chain: optional(certificateSchema),
    ssl_key: optional(privateKeySchema),
  }),
  type("DockerSocket", {}),
] as const;

const names = credentialTypes.map((variant) => variant.shape.type.value);

/** A credential type as a caller sends it. */
export const credentialTypeSchema = z.discriminatedUnion("type", credentialTypes, {
  error: ({ code }) =>
    code === "invalid_union" ? `must be one of ${names.join(", ")}` : undefined,
});
/* @__PURE__ */ annotate(credentialTypeSchema, {
  id: "CredentialType",
  description: "How a host is reached, and with which secrets.",
});
export type CredentialType = z.output<typeof credentialTypeSchema>;

/** Names that stand for several types in the filter of the list. */
const families: Readonly<Record<string, readonly string[]>> = {
  Snmp: names.filter((name) => name.startsWith("Snmp")),
};

/** What the list can be filtered by. */
export const credentialTypeFilters = [...names, ...Object.keys(families)];

/** The types that a filter stands for. */
export const typesOfFilter = (filter: string): readonly string[] => families[filter] ?? [filter];
