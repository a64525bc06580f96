import { expect, test } from "vitest";
import { ApiError } from "../../src/errors/errors.ts";
import { ChunkSize } from "../../src/http/list/chunk-size.ts";

const chunkBytes = 512 * 1024;

/**
 * Reads chunks of records with these sizes, and returns how many records were requested each time.
 */
async function requestedFor(size: ChunkSize, recordBytes: readonly number[]): Promise<number[]> {
  const requested: number[] = [];
  for (const bytes of recordBytes) {
    await size.read((count) => {
      requested.push(count);
      return Promise.resolve([{ bytes_so_far: `${bytes}` }]);
    }, chunkBytes);
  }
  return requested;
}

const tooLarge = () => Promise.reject(new ApiError("request_too_large", { max_bytes: 1 }));

test("requests as many records of a known size as fit, up to 1,000", async () => {
  expect(await requestedFor(new ChunkSize(700, chunkBytes), [700])).toEqual([748]);
  expect(await requestedFor(new ChunkSize(10, chunkBytes), [10])).toEqual([1000]);
});

test("adapts the number of records to the size of the records in the last chunk", async () => {
  const size = new ChunkSize(undefined, chunkBytes);
  expect(await requestedFor(size, [10_240, 1024, 1, 2 * chunkBytes, 10_240])).toEqual([
    50, 46, 460, 1000, 1,
  ]);
});

test("keeps the number of records after an empty chunk", async () => {
  const size = new ChunkSize(undefined, chunkBytes);
  expect(await size.read(() => Promise.resolve([]), chunkBytes)).toEqual([]);
  expect(await requestedFor(size, [10_240])).toEqual([50]);
});

test("requests an eighth as many records if the response is far too large, but at least one", async () => {
  const requested: number[] = [];
  const read = (count: number) => {
    requested.push(count);
    return count === 1 ? Promise.resolve([{ bytes_so_far: `${chunkBytes}` }]) : tooLarge();
  };
  await new ChunkSize(undefined, chunkBytes).read(read, chunkBytes);
  expect(requested).toEqual([50, 6, 1]);
});

test("fails if a single record is too large, and after any other error", async () => {
  const size = new ChunkSize(undefined, chunkBytes);
  await expect(size.read(tooLarge, chunkBytes)).rejects.toMatchObject({
    code: "request_too_large",
  });
  const conflict = () => Promise.reject(new ApiError("request_conflict", {}));
  await expect(size.read(conflict, chunkBytes)).rejects.toMatchObject({ code: "request_conflict" });
});
