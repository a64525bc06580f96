import * as z from "zod";
import { ipAddress } from "../../http/input/network.ts";
import { storableRule, textOf } from "../../http/input/text.ts";
import {
  certificateSchema,
  passphraseSchema,
  passwordSchema,
  privateKeySchema,
  secretSchema,
  secureOnSchema,
  sshKeySchema,
} from "./secret.ts";

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

/** A daemon's version. */
type Version = readonly [major: number, minor: number, patch: number];

/** The fields of a credential in the daemon's format: the mode `Inline` is called `Value`. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * A credential type.
 * @param name the `type` in requests and responses
 * @param minimumDaemon the first daemon version that supports it, according to the daemon's public
 *   source: an earlier version may reject a scan that includes it
 * @param isForHosts true if it must not be assigned to networks: the daemon would wake every host,
 *   or send a controller's password to each of them
 * @param fields its settings and secrets
 * @param query the credential in the daemon's format, which has one type for several of ours
 */
const type = <Name extends string, Shape extends z.core.$ZodLooseShape>(
  name: Name,
  {
    minimumDaemon,
    isForHosts = false,
    fields,
    query = (same) => ({ type: name, ...same }),
  }: {
    minimumDaemon: Version;
    isForHosts?: boolean;
    fields: Shape;
    query?: (fields: Fields) => Fields;
  },
) => ({
  name,
  minimumDaemon,
  isForHosts,
  query,
  schema: z
    .strictObject({ type: z.literal(name).meta({ id: `${name}Type` }), ...fields })
    .meta({ id: name }),
});

/** Daemons before 0.16.2 ignore credentials. */
const anyDaemon: Version = [0, 0, 0];

const port = (standard: number) => z.int().min(1).max(65535).default(standard);

/** Less than the 5 minutes without progress after which a scan fails. */
const waitSeconds = (standard: number) => z.int().min(1).max(240).default(standard);

const userName = textOf(1, 255);
const filePath = optional(textOf(0, 4096));

/** Podman has the API of Docker. */
const containerProxy = {
  port: port(2375),
  path: optional(textOf(0, 255)),
  ssl_cert: optional(certificateSchema),
  ssl_chain: optional(certificateSchema),
  ssl_key: optional(privateKeySchema),
};

const unifiController = { port: port(443), site: textOf(1, 255).default("default") };

/** The script that a daemon runs on the host, and the checks around it. */
const sshScript = {
  script: textOf(1, 16_384).meta({
    description: `Runs on the host at each scan, and prints one JSON object of the host's fields. Not a secret. ${storableRule}`,
  }),
  timeout_seconds: waitSeconds(60),
  host_key_fingerprint: optional(
    z
      .string()
      .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, {
        error: "must be a fingerprint as `ssh-keygen -lf` prints it, such as SHA256:…",
      })
      .meta({
        maxLength: 50,
        description:
          "The host's key, as `ssh-keygen -lf` prints it. If null, the daemon trusts the first key that it sees.",
      }),
  ),
};

/**
 * The credential types, each with its settings and secrets (API contract, section 3). To add a
 * type, add one entry here: sealing, masking, filtering and the daemon's format are derived from it.
 */
const credentialTypes = [
  type("SnmpV1", {
    minimumDaemon: [0, 17, 0],
    fields: { community: secretSchema },
    query: (fields) => ({ type: "Snmp", version: "V1", ...fields }),
  }),
  type("SnmpV2c", {
    minimumDaemon: anyDaemon,
    fields: { community: secretSchema },
    query: (fields) => ({ type: "Snmp", version: "V2c", ...fields }),
  }),
  type("SnmpV3", {
    minimumDaemon: [0, 17, 0],
    fields: {
      security_name: textOf(1, 255),
      auth_protocol: z.enum(["Sha1", "Sha256"]),
      auth_password: passwordSchema,
      priv_protocol: z.enum(["Aes128", "Aes256"]),
      priv_password: passwordSchema,
      context_name: optional(textOf(0, 255)),
    },
    // Daemons require a community for every SNMP version.
    query: (v3) => ({ type: "Snmp", version: "V3", community: { mode: "Value", value: "" }, v3 }),
  }),
  type("Gnmi", {
    minimumDaemon: [0, 17, 16],
    fields: {
      port: port(9339),
      username: userName,
      password: secretSchema,
      tls: z.boolean().default(false),
      skip_verify: z.boolean().default(false),
    },
  }),
  type("DockerProxy", { minimumDaemon: anyDaemon, fields: containerProxy }),
  type("DockerSocket", { minimumDaemon: anyDaemon, fields: {} }),
  type("PodmanProxy", { minimumDaemon: [0, 17, 2], fields: containerProxy }),
  type("PodmanSocket", { minimumDaemon: [0, 17, 2], fields: { socket_path: filePath } }),
  type("UnifiApiKey", {
    minimumDaemon: [0, 17, 7],
    isForHosts: true,
    fields: { ...unifiController, api_key: secretSchema },
    query: ({ api_key, ...fields }) => ({
      type: "UnifiController",
      ...fields,
      auth: { mode: "ApiKey", api_key },
    }),
  }),
  type("UnifiLocalAdmin", {
    minimumDaemon: [0, 17, 7],
    isForHosts: true,
    fields: { ...unifiController, username: userName, password: secretSchema },
    query: ({ username, password, ...fields }) => ({
      type: "UnifiController",
      ...fields,
      auth: { mode: "LocalAdmin", username, password },
    }),
  }),
  type("InstantOnAccount", {
    minimumDaemon: [0, 17, 11],
    isForHosts: true,
    fields: { username: userName, password: secretSchema, site: optional(textOf(0, 255)) },
    query: (fields) => ({ type: "InstantOn", ...fields }),
  }),
  type("SshPassword", {
    minimumDaemon: [0, 17, 19],
    fields: { port: port(22), username: userName, password: secretSchema, ...sshScript },
    query: ({ password, ...fields }) => ({
      type: "Ssh",
      ...fields,
      auth: { mode: "Password", password },
    }),
  }),
  type("SshKey", {
    minimumDaemon: [0, 17, 19],
    fields: {
      port: port(22),
      username: userName,
      private_key: sshKeySchema,
      passphrase: optional(passphraseSchema),
      ...sshScript,
    },
    query: ({ private_key, passphrase, ...fields }) => ({
      type: "Ssh",
      ...fields,
      auth: { mode: "PrivateKey", private_key, passphrase },
    }),
  }),
  type("WakeOnLan", {
    minimumDaemon: [0, 17, 19],
    isForHosts: true,
    fields: {
      port: port(9),
      wait_seconds: waitSeconds(90),
      broadcast_address: optional(ipAddress),
      secure_on_password: optional(secureOnSchema),
    },
  }),
] as const;

const names = credentialTypes.map(({ name }) => name);
const [first, ...others] = credentialTypes;
const schemas = [first.schema, ...others.map(({ schema }) => schema)] as const;

/** The credential type of a request. */
export const credentialTypeSchema = z
  .discriminatedUnion("type", schemas, {
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

/** The credential types by name, as daemons see them. */
export const daemonTypes: ReadonlyMap<
  string,
  Pick<(typeof credentialTypes)[number], "name" | "minimumDaemon" | "isForHosts" | "query">
> = new Map(credentialTypes.map((one) => [one.name, one]));
