import { decodeBase64 } from "hono/utils/encode";
import * as z from "zod";

/** The version in package.json. An import of that file would add all of it to the Worker. */
export const version = "0.1.0";

/** The bindings, variables and secrets from the Workers runtime, not yet validated. */
export type WorkerEnv = Readonly<Record<string, unknown>>;

/** The part of the Workers rate limiting binding that is used. */
export interface RateLimiter {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** The part of a Cloudflare Queue producer that is used. */
export interface QueueProducer {
  sendBatch(messages: Iterable<{ body: unknown }>): Promise<unknown>;
}

const queueProducer = z.custom<QueueProducer>(
  (value) => typeof value === "object" && value !== null && "sendBatch" in value,
  "must be a queue binding (wrangler.toml)",
);

/** The methods of the Durable Object `Agenda` (agenda.ts). */
export interface AgendaStub {
  isDue(): Promise<boolean>;
  begin(): Promise<string>;
  rest(attempt: string, milliseconds: number): Promise<boolean>;
  wake(): Promise<void>;
}

/** The methods of the Durable Object `ChangeSignal` (change-signal.ts). */
export interface ChangeSignalStub {
  version(): Promise<string>;
  wait(version: string, milliseconds: number): Promise<boolean | null>;
  signal(): Promise<void>;
}

/** The part of the binding of a Durable Object that is used. */
export interface DurableObjects<Stub> {
  idFromName(name: string): object;
  get(id: object): Stub;
}

export type AgendaNamespace = DurableObjects<AgendaStub>;
export type ChangeSignals = DurableObjects<ChangeSignalStub>;

const durableObjects = <Stub>() =>
  z
    .custom<DurableObjects<Stub>>(
      (value) => typeof value === "object" && value !== null && "idFromName" in value,
      "must be a Durable Object binding (wrangler.toml)",
    )
    .optional();

/** The part of the assets binding that is used. */
interface Assets {
  fetch(request: Request): Promise<Response>;
}

const assets = z.custom<Assets>(
  (value) => typeof value === "object" && value !== null && "fetch" in value,
  "must be the assets binding (wrangler.toml)",
);

const rateLimiter = z.custom<RateLimiter>(
  (value) => typeof value === "object" && value !== null && "limit" in value,
  "must be a rate limiting binding (wrangler.toml)",
);

/** The part of a Workers Analytics Engine dataset that is used. */
export interface Dataset {
  writeDataPoint(point: { indexes: string[]; blobs: string[]; doubles: number[] }): void;
}

const dataset = z
  .custom<Dataset>(
    (value) => typeof value === "object" && value !== null && "writeDataPoint" in value,
    "must be an Analytics Engine binding (wrangler.toml)",
  )
  .optional();

/** The metrics dataset, if any. This works even if the rest of the configuration is invalid. */
export const metricsOf = (env: WorkerEnv): Dataset | undefined =>
  dataset.safeParse(env["METRICS"]).data;

const origins = z
  .string()
  .default("")
  .transform((list) => list.split(",").map((origin) => origin.trim()))
  .transform((list) => list.filter((origin) => origin !== ""))
  .pipe(
    z.array(
      z.string().refine((origin) => URL.canParse(origin) && new URL(origin).origin === origin, {
        error: "must be origins such as https://app.example.com, separated by commas",
      }),
    ),
  );

/**
 * A list of named keys.
 * @param pattern matches an entry, `NAME:KEY`
 * @param form what a key is, for the error
 */
const namedKeys = (pattern: RegExp, form: string) =>
  z
    .string()
    .transform((list) => list.split(",").map((entry) => entry.trim()))
    .pipe(
      z
        .array(
          z
            .string()
            .regex(pattern, {
              error: `must be NAME:KEY pairs separated by commas, KEY being ${form} in base64`,
            })
            .transform((entry) => {
              const [name = "", key = ""] = entry.split(":");
              return { name, key: decodeBase64(key) };
            }),
        )
        .min(1),
    )
    .refine((keys) => new Set(keys.map(({ name }) => name)).size === keys.length, {
      error: "must not give two keys the same name",
    });

const sealingKeys = namedKeys(/^[\w-]{1,32}:[A-Za-z0-9+/]{43}=$/, "32 bytes");
const signingKeys = namedKeys(/^[\w-]{1,32}:[A-Za-z0-9+/]{86}==$/, "64 bytes");

/**
 * Parses the variable SEALING_KEYS. The first key seals; any of them can open.
 * @throws {z.ZodError} if it is malformed
 */
export const parseSealingKeys = (list: string) => sealingKeys.parse(list);

/**
 * Parses the variable SIGNING_KEYS. The first key signs; any of them can verify. A key is an Ed25519
 * private key (RFC 8032, section 5.1.5), followed by its public key.
 * @throws {z.ZodError} if it is malformed
 */
export const parseSigningKeys = (list: string) => signingKeys.parse(list);

const databaseUrl = z.string().regex(/^postgres(ql)?:\/\/[^/@]+@[^/]+\/./, {
  error: "must be a Postgres connection string (postgresql://user:password@host/database)",
});

const remoteDatabaseUrl = databaseUrl.refine(
  (url) => URL.canParse(url) && !/^(localhost|127(\.\d+){3}|\[::1\])$/i.test(new URL(url).hostname),
  { error: "must not be a local database" },
);

const common = {
  DATABASE_URL: databaseUrl,
  // If unset, the poller logs in with the API's DATABASE_URL.
  POLLER_DATABASE_URL: databaseUrl.optional(),
  DATABASE_DEADLINE_MS: z
    .string()
    .regex(/^[1-9]\d{2,4}$/, { error: "must be milliseconds, from 100 to 99999" })
    .default("8000")
    .transform(Number),
  SEALING_KEYS: sealingKeys,
  SIGNING_KEYS: signingKeys,
  CORS_ORIGINS: origins,
  SERVER_VERSION: z
    .string()
    .regex(/^[!-~]{1,64}$/, { error: "must be 1 to 64 visible ASCII characters" })
    .default(version),
  KEY_RATE_LIMIT: rateLimiter,
  ORGANIZATION_RATE_LIMIT: rateLimiter,
  ADDRESS_RATE_LIMIT: rateLimiter,
  READINESS_RATE_LIMIT: rateLimiter,
  REACHABILITY_RATE_LIMIT: rateLimiter,
  POLL_QUEUE: queueProducer,
  SLOW_POLL_QUEUE: queueProducer,
  WEBHOOK_QUEUE: queueProducer,
  SLOW_WEBHOOK_QUEUE: queueProducer,
  MAX_DAEMONS_PER_ORGANIZATION: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, { error: "must be a number of daemons, from 1 to 99999" })
    .default("1000")
    .transform(Number),
  LOG_POLLS: z.enum(["failures", "all"]).default("failures"),
  ASSETS: assets,
  // If unset, background jobs query the database every minute.
  AGENDA: durableObjects<AgendaStub>(),
  // If unset, requests do not wait for changes.
  CHANGE_SIGNAL: durableObjects<ChangeSignalStub>(),
  METRICS: dataset,
};

/** True for the public keys of local development, whose bytes start with `demo-`. */
const isDemoKey = ({ key }: { key: Uint8Array }) =>
  new TextDecoder().decode(key).startsWith("demo-");
const hasNoDemoKey = (keys: readonly { key: Uint8Array }[]) => !keys.some(isDemoKey);
const noDemoKey = { error: "must not contain the demo key, which is public" };

/**
 * Only development may use a local database, local daemons or local receivers, or disable rate
 * limits.
 */
const development = z.object({
  ...common,
  ENVIRONMENT: z.literal("development"),
  LOCAL_DATABASE_ENDPOINT: z.url({ hostname: /^(127\.0\.0\.1|localhost)$/ }).optional(),
  RATE_LIMITS: z.enum(["on", "off"]).default("on"),
  PRIVATE_DAEMON_ADDRESSES: z.enum(["allowed", "forbidden"]).default("forbidden"),
  PRIVATE_WEBHOOK_ADDRESSES: z.enum(["allowed", "forbidden"]).default("forbidden"),
  DEMO_API_KEY: z.string().optional(),
});

const notInProduction = z
  .undefined({ error: "is for local development only: remove it" })
  .optional();

const production = z.object({
  ...common,
  ENVIRONMENT: z.literal("production"),
  LOCAL_DATABASE_ENDPOINT: notInProduction,
  RATE_LIMITS: notInProduction,
  PRIVATE_DAEMON_ADDRESSES: notInProduction,
  PRIVATE_WEBHOOK_ADDRESSES: notInProduction,
  DEMO_API_KEY: notInProduction,
  SEALING_KEYS: sealingKeys.refine(hasNoDemoKey, noDemoKey),
  SIGNING_KEYS: signingKeys.refine(hasNoDemoKey, noDemoKey),
  DATABASE_URL: remoteDatabaseUrl,
  POLLER_DATABASE_URL: remoteDatabaseUrl,
});

const settings = z.discriminatedUnion("ENVIRONMENT", [production, development]);

/** The Worker's validated configuration. */
export type Settings = z.output<typeof settings>;

/**
 * The configuration is invalid. The message contains the name of each invalid variable, but never a
 * value.
 */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

const parsed = new WeakMap<WorkerEnv, Settings>();

/**
 * Validates the configuration once per isolate.
 * @throws {ConfigurationError} if a variable is missing, malformed or not allowed in this
 *   environment
 */
export function settingsOf(env: WorkerEnv): Settings {
  const known = parsed.get(env);
  if (known) {
    return known;
  }
  const result = settings.safeParse(env);
  if (!result.success) {
    throw new ConfigurationError(
      result.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join("; "),
    );
  }
  parsed.set(env, result.data);
  return result.data;
}
