import { Duplex } from "node:stream";
import type { PGlite } from "@electric-sql/pglite";

interface Chunk {
  readonly chunk: Buffer;
}

/**
 * The socket that `pg` writes to and reads from, with a PGlite in the same process at its other end.
 *
 * A PGlite is one session for its whole life, so a new connection first resets it.
 */
export class PgliteConnection extends Duplex {
  readonly #pglite: PGlite;

  constructor(pglite: PGlite) {
    super();
    this.#pglite = pglite;
  }

  /** Called by `pg` in place of `net.Socket.connect`. */
  connect(): this {
    this.#resetSession().then(
      () => this.emit("connect"),
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  /** Called by `pg`, without a meaning here. */
  setNoDelay(): this {
    return this;
  }

  /** Called by `pg`, without a meaning here. */
  setKeepAlive(): this {
    return this;
  }

  /** Called by `pg`, without a meaning here: nothing here keeps the process alive. */
  ref(): this {
    return this;
  }

  /** Called by `pg`, without a meaning here. */
  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#execute(chunk, done);
  }

  override _writev(chunks: Chunk[], done: (error?: Error) => void): void {
    this.#execute(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error) => void): void {
    this.push(null);
    done();
  }

  #execute(messages: Buffer, done: (error?: Error) => void): void {
    // PGlite runs synchronously, and `pg` is not written for an answer while it is still asking.
    process.nextTick(() => {
      this.#pglite
        .execProtocolRawStream(messages, {
          // The bytes lie in WebAssembly memory that the next message overwrites.
          onRawData: (bytes) => this.push(Buffer.from(bytes)),
        })
        .then(() => done(), done);
    });
  }

  async #resetSession(): Promise<void> {
    await this.#pglite.exec("ROLLBACK");
    await this.#pglite.exec("DISCARD ALL");
  }
}
