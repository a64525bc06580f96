import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalDatabase, startLocalDatabase } from "../../../drizzle/local/server.ts";
import { cases, preparation } from "../../neon/cases.ts";
import { ask, compare, type Endpoint } from "../../neon/compare.ts";

const endpointOf = ({ endpoint, connectionString }: LocalDatabase): Endpoint => ({
  url: endpoint,
  connectionString,
});

describe("the comparison of two endpoints", () => {
  let one: LocalDatabase;
  let other: LocalDatabase;
  /** If true, the second endpoint returns 401 instead of 400. */
  let isOdd = false;
  beforeAll(async () => {
    [one, other] = await Promise.all([
      startLocalDatabase({}),
      startLocalDatabase({
        wrap: (next) => (request, response) => {
          const { writeHead } = response;
          if (isOdd) {
            response.writeHead = ((status: number, headers: Record<string, string>) =>
              writeHead.call(response, status === 400 ? 401 : status, headers)) as typeof writeHead;
          }
          return next(request, response);
        },
      }),
    ]);
    for (const database of [one, other]) {
      for (const query of preparation) {
        const body = JSON.stringify({ query, params: [] });
        expect(await ask(endpointOf(database), { name: query, body })).toMatchObject({
          status: 200,
        });
      }
    }
  });
  afterAll(() => Promise.all([one.close(), other.close()]));

  it("finds no difference between two stand-ins", async () => {
    expect(await compare(endpointOf(one), endpointOf(other), cases)).toEqual([]);
  });

  it("finds each request to which a different endpoint responds differently", async () => {
    isOdd = true;
    const differences = await compare(endpointOf(one), endpointOf(other), cases);
    expect(differences.length).toBeGreaterThan(20);
    for (const difference of differences) {
      expect(difference).toMatchObject({ one: { status: 400 }, other: { status: 401 } });
    }
  });
});
