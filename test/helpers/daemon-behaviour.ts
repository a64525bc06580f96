/** The response of a daemon in the farm when it is polled. */
export type Behaviour =
  | { kind: "answer"; status?: number; headers?: Record<string, string>; body?: string }
  /** Sends this text verbatim, including the status line, and closes the connection. */
  | { kind: "raw"; text: string }
  /** Never responds. */
  | { kind: "hang" }
  /** Sends a byte of its response from time to time, without an end. */
  | { kind: "drip" }
  /** Sends this and then nothing, without an end. */
  | { kind: "stall"; body: string }
  /** Sends its response as fast as it is read, without an end. */
  | { kind: "flood" }
  /** Closes the connection in the middle of its response. */
  | { kind: "cut" }
  /**
   * Holds requests until they are released: all of a webhook, and those for the status of a daemon.
   * Responds to other requests immediately.
   */
  | { kind: "hold" }
  /**
   * Has a separate behaviour for some paths below `/api/`, such as `poll`, and is healthy for the
   * others.
   */
  | { kind: "routes"; routes: Readonly<Record<string, Behaviour>> };

/** A request that a daemon of the farm received. */
export interface SeenRequest {
  method: string | undefined;
  path: string | undefined;
  authorization: string | undefined;
  /** The body of a POST. */
  body?: string;
  /** The headers of a signed webhook. */
  signed?: Record<string, string>;
}
