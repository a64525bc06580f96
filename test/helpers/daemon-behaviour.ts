/** What a daemon of the farm does when it is polled. */
export type Behaviour =
  | { kind: "answer"; status?: number; headers?: Record<string, string>; body?: string }
  /** Sends this text as it is, status line included, and closes. */
  | { kind: "raw"; text: string }
  /** Never answers. */
  | { kind: "hang" }
  /** Sends a byte of its answer now and then, without an end. */
  | { kind: "drip" }
  /** Sends this and then nothing, without an end. */
  | { kind: "stall"; body: string }
  /** Sends its answer as fast as it is read, without an end. */
  | { kind: "flood" }
  /** Breaks off in the middle of its answer. */
  | { kind: "cut" }
  /** Holds the requests of a webhook, or of a daemon those for its status, until it is released. */
  | { kind: "hold" }
  /** Does something of its own for some paths below `/api/`, such as `poll`; is healthy elsewhere. */
  | { kind: "routes"; routes: Readonly<Record<string, Behaviour>> };

/** A request that a daemon of the farm got. */
export interface SeenRequest {
  method: string | undefined;
  path: string | undefined;
  authorization: string | undefined;
  /** What was posted. */
  body?: string;
  /** The headers of a signed webhook. */
  signed?: Record<string, string>;
}
