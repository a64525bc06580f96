import { z } from "zod";

const faultSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("none") }),
  z.strictObject({ kind: z.literal("hang") }),
  z.strictObject({ kind: z.literal("refuse") }),
  z.strictObject({
    kind: z.literal("status"),
    status: z.int().min(200).max(599),
    body: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal("sqlstate"), code: z.string(), message: z.string() }),
  z.strictObject({ kind: z.literal("truncate") }),
  z.strictObject({ kind: z.literal("cut_body") }),
  z.strictObject({ kind: z.literal("not_json") }),
  z.strictObject({ kind: z.literal("lost_answer") }),
]);

const settingsSchema = z.strictObject({
  delay_ms: z.int().min(0).max(600_000).optional(),
  faults: z.array(faultSchema).max(10_000).optional(),
});

/**
 * What happens to one call instead of a plain answer:
 *
 * - `none`: nothing, so that a later call can be the one that fails
 * - `hang`: no answer until the caller goes away
 * - `refuse`: the connection is closed without a byte
 * - `status`: this HTTP status
 * - `sqlstate`: a database error with this code and message
 * - `truncate`: half of an announced JSON body, then the connection is closed
 * - `cut_body`: half of a JSON document as a complete HTTP body
 * - `not_json`: status 200 with HTML
 * - `lost_answer`: the SQL runs and commits, then the connection is closed without a byte
 *
 * All but the last happen before any SQL runs.
 */
export type Fault = z.infer<typeof faultSchema>;

/** The body of `PUT /probes/{label}`. Setting `faults` also resets the counts. */
export type ProbeSettings = z.infer<typeof settingsSchema>;

/** What a label has asked of the database since its counts were reset. */
export interface ProbeCounts {
  readonly calls: number;
  readonly statements: number;
}

/** Reads the body of `PUT /probes/{label}`; undefined with a list of issues if it is not valid. */
export function parseProbeSettings(
  body: unknown,
): { settings: ProbeSettings } | { issues: string } {
  const parsed = settingsSchema.safeParse(body);
  return parsed.success ? { settings: parsed.data } : { issues: z.prettifyError(parsed.error) };
}

/** Counts, delays and faults of one label. */
export class Probe {
  #calls = 0;
  #statements = 0;
  #delayMs = 0;
  #faults: Fault[] = [];

  get counts(): ProbeCounts {
    return { calls: this.#calls, statements: this.#statements };
  }

  get delayMs(): number {
    return this.#delayMs;
  }

  set(settings: ProbeSettings): void {
    this.#delayMs = settings.delay_ms ?? this.#delayMs;
    if (settings.faults !== undefined) {
      this.#faults = [...settings.faults];
      this.#calls = 0;
      this.#statements = 0;
    }
  }

  /** Counts a call and takes the fault that it meets. */
  takeCall(): Fault {
    this.#calls += 1;
    return this.#faults.shift() ?? { kind: "none" };
  }

  countStatements(statements: number): void {
    this.#statements += statements;
  }
}

/** The probes by label. A label is the `application_name` of a connection string. */
export class Probes {
  readonly #probes = new Map<string, Probe>();

  get(label: string): Probe {
    let probe = this.#probes.get(label);
    if (probe === undefined) {
      probe = new Probe();
      this.#probes.set(label, probe);
    }
    return probe;
  }

  delete(label: string): void {
    this.#probes.delete(label);
  }
}
