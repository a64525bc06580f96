import type { ErrorCode } from "../../src/errors/errors.ts";
import type { Fault } from "./fault.ts";
import type { Random } from "./random.ts";
import type { State } from "./state.ts";
import type { World } from "./world.ts";

/** A request in a walk. */
export interface Sent {
  method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/api/v1/`. */
  path: string;
  json?: unknown;
  /** The body, if it is not JSON. */
  xml?: string;
  /** The ETag to send as `If-Match`. */
  ifMatch?: string | undefined;
  /** The errors that can occur even without other writers. */
  refusals?: readonly ErrorCode[];
}

/** The relevant parts of a response. */
export interface Received {
  status: number;
  etag: string | null;
  code: string | null;
  data: unknown;
}

/** One of several concurrent writers. */
export interface Client {
  random: Random;
  /** The last state that was read without concurrent writers. */
  state: State;
  world: World;
  /** True if there are no other writers. */
  isAlone: boolean;
  send(request: Sent): Promise<Received>;
  /** Adds an event that is not a request to the journal. */
  note(line: string): void;
}

/** A client without the journal's methods. */
type Unnoted = Omit<Client, "send" | "note">;

/** Errors that the writes of other clients can cause. */
export const causedByOthers: readonly ErrorCode[] = [
  "entity_not_found",
  "entity_reference_invalid",
  "entity_in_use",
  "entity_already_exists",
  "binding_conflict",
  "validation_failed",
];

/** The actions of the clients, and the faults in the responses. */
export class Journal {
  readonly lines: string[] = [];
  readonly faults: Fault[] = [];
  readonly counts = new Map<string, number>();
  /** Requests that failed because of concurrent writers, to be repeated. */
  conflicts: Sent[] = [];

  /** Returns a client whose requests are recorded and checked. */
  clientOf(number: number, client: Unnoted): Client {
    return {
      ...client,
      send: (request) => this.#send(number, client, request),
      note: (line) => this.note(`client ${number}: ${line}`),
    };
  }

  /** Adds a line. If there is a fault, the last lines are printed. */
  note(line: string): void {
    this.lines.push(line.slice(0, 1500));
    this.lines.splice(0, this.lines.length - 60);
  }

  async #send(
    number: number,
    { world, state, isAlone }: Unnoted,
    { method, path, json, xml, ifMatch, refusals = [] }: Sent,
  ): Promise<Received> {
    const answer = await world.api.send(method, `/api/v1/${path}`, {
      key: world.key,
      json,
      ...(xml !== undefined && { body: xml }),
      headers: {
        ...(ifMatch !== undefined && { "If-Match": ifMatch }),
        ...(xml !== undefined && { "Content-Type": "application/xml" }),
      },
    });
    const { data = null, code = null } = Object(answer.body);
    const received = { status: answer.status, etag: answer.headers.get("ETag"), code, data };
    const sent = `${method} ${path}${ifMatch ? ` If-Match ${ifMatch}` : ""} ${JSON.stringify(json) ?? xml ?? ""}`;
    this.note(`client ${number}: ${answer.status} ${code ?? ""} ${sent}`);
    const operation = `${method} ${path.replaceAll(/[0-9a-f-]{36}/g, "{id}")}`;
    const kind = `${operation} ${answer.status}${code ? ` ${code}` : ""}`;
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    if (code === "request_conflict" && !isAlone) {
      this.conflicts.push({ method, path, json, ...(xml !== undefined && { xml }) });
    }
    const may: readonly (string | null)[] = [
      null,
      ...refusals,
      ...(isAlone ? [] : [...causedByOthers, "request_conflict"]),
      ...(isAlone || ifMatch === undefined ? [] : ["precondition_failed"]),
    ];
    if (answer.status >= 500 || !may.includes(code)) {
      this.faults.push({
        check: "refusal",
        where: sent,
        difference: { status: answer.status, isAlone, body: answer.body },
      });
    }
    this.#judgeReplaced(state, { method, path }, received);
    return received;
  }

  /** A PUT always changes `updated_at`, and with it the ETag. */
  #judgeReplaced(state: State, { method, path }: Sent, { status, etag, data }: Received): void {
    const before = state.seen.get(path);
    if (method !== "PUT" || status !== 200 || !before) {
      return;
    }
    const { updated_at } = Object(data);
    if (updated_at <= before.body.updated_at || etag === before.etag) {
      this.faults.push({
        check: "put changes updated_at",
        where: path,
        difference: { before: before.body.updated_at, updated_at, etag_before: before.etag, etag },
      });
    }
  }
}
