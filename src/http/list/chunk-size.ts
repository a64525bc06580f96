import { ApiError } from "../../errors/errors.ts";

/** Maximum number of records per chunk. The byte limit can make a chunk smaller. */
const maximum = 1000;

/** The number of records to request first, if record sizes vary. */
const first = 50;

/**
 * The factor by which the number of requested records is reduced if those of a chunk were far too
 * large.
 */
const reduction = 8;

/**
 * The fraction of a chunk that the requested records should fill, since reading records beyond its
 * end is wasted work.
 */
const filled = 0.9;

const within = (count: number): number => Math.max(1, Math.min(maximum, Math.floor(count)));

/**
 * Chooses the number of records to request for each chunk of a list, so that they nearly fill the
 * chunk. Measuring records beforehand would read all of their children twice.
 */
export class ChunkSize {
  #count: number;

  /**
   * @param recordBytes the size of a record in bytes of JSON; undefined if record sizes vary
   * @param chunkBytes the maximum size of the first chunk in bytes of JSON
   */
  constructor(recordBytes: number | undefined, chunkBytes: number) {
    this.#count = recordBytes === undefined ? first : within(chunkBytes / recordBytes);
  }

  /**
   * Reads a chunk. If the requested records are far too large, requests fewer.
   * @param read reads a chunk of at most `count` records. The last row has the size of the chunk as
   *   `bytes_so_far`
   * @param chunkBytes the maximum size of the next chunk in bytes of JSON
   */
  async read<Row extends { bytes_so_far?: unknown }>(
    read: (count: number) => Promise<Row[]>,
    chunkBytes: number,
  ): Promise<Row[]> {
    const rows = await read(this.#count).catch((error: unknown) => {
      // A chunk of one record is never too large, so this would repeat forever.
      if (this.#count === 1) {
        throw error;
      }
      return nullIfTooLarge(error);
    });
    if (rows === null) {
      this.#count = within(this.#count / reduction);
      return this.read(read, chunkBytes);
    }
    const bytes = Number(rows.at(-1)?.bytes_so_far ?? 0);
    if (bytes > 0) {
      this.#count = within((filled * chunkBytes * rows.length) / bytes);
    }
    return rows;
  }
}

/**
 * Ignores the error for a page that is too large to read at once; such a page is streamed instead.
 * A read does not have a body, so the error cannot refer to a request body that is too large.
 */
export function nullIfTooLarge(error: unknown): null {
  if (error instanceof ApiError && error.code === "request_too_large") {
    return null;
  }
  throw error;
}
