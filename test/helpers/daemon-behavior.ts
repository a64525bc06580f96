/** How a daemon in the farm responds to a request. */
export type Behavior =
  | { kind: "answer"; status?: number; headers?: Record<string, string>; body?: string }
  /** Sends this text verbatim, including the status line, and closes the connection. */
  | { kind: "raw"; text: string }
  /** Never responds. */
  | { kind: "hang" }
  /** Keeps sending its response forever, one byte from time to time. */
  | { kind: "drip" }
  /** Sends this text and then nothing more, and never ends the response. */
  | { kind: "stall"; body: string }
  /** Sends an endless response as fast as it is read. */
  | { kind: "flood" }
  /** Closes the connection in the middle of its response. */
  | { kind: "cut" }
  /**
   * Holds all webhook requests and all requests for a daemon's status until they are released.
   * Responds to other requests immediately.
   */
  | { kind: "hold" }
  /**
   * Has a separate behavior for some paths below `/api/`, such as `poll`, and is healthy for all
   * other paths.
   */
  | { kind: "routes"; routes: Readonly<Record<string, Behavior>> };

/** A request that a daemon in the farm received. */
export interface SeenRequest {
  method: string | undefined;
  path: string | undefined;
  authorization: string | undefined;
  /** The body of a POST. */
  body?: string;
  /** The headers of a signed webhook. */
  signed?: Record<string, string>;
}
