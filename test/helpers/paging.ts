import { beforeAll, describe, expect, test } from "vitest";
import { failed, invalidAt, seen, succeeded } from "./answers.ts";
import { openApi } from "./api.ts";
import { mintOrganization, type Organization } from "./organization.ts";

/**
 * The second within the minute at which each record is created. Some records were created in the
 * same second, and they are not in chronological order.
 */
const seconds = [3, 1, 1, 0, 1, 2, 4];
const count = seconds.length;

const slices = [
  { query: "", limit: 50, offset: 0, from: 0, to: 7, has_more: false },
  { query: "?limit=1", limit: 1, offset: 0, from: 0, to: 1, has_more: true },
  { query: "?limit=3&offset=2", limit: 3, offset: 2, from: 2, to: 5, has_more: true },
  { query: "?limit=3&offset=4", limit: 3, offset: 4, from: 4, to: 7, has_more: false },
  { query: "?limit=3&offset=6", limit: 3, offset: 6, from: 6, to: 7, has_more: false },
  { query: "?limit=6", limit: 6, offset: 0, from: 0, to: 6, has_more: true },
  { query: "?limit=7", limit: 7, offset: 0, from: 0, to: 7, has_more: false },
  { query: "?limit=1000&offset=1", limit: 1000, offset: 1, from: 1, to: 7, has_more: false },
  { query: "?offset=7", limit: 50, offset: 7, from: 7, to: 7, has_more: false },
  {
    query: "?offset=2147483647",
    limit: 50,
    offset: 2_147_483_647,
    from: 7,
    to: 7,
    has_more: false,
  },
  { query: "?limit=0", limit: 0, offset: 0, from: 0, to: 7, has_more: false },
  { query: "?limit=0&offset=5", limit: 0, offset: 5, from: 5, to: 7, has_more: false },
  { query: "?limit=0&offset=7", limit: 0, offset: 7, from: 7, to: 7, has_more: false },
  {
    query: "?limit=0&offset=2147483647",
    limit: 0,
    offset: 2_147_483_647,
    from: 7,
    to: 7,
    has_more: false,
  },
];

/**
 * Tests the pages of a list (API contract, section 4).
 * @param path of the list
 * @param mint creates a record of the organization with the given `created_at`, and returns its id
 * @param mintEmpty creates an organization without such records
 */
export function describePaging(
  path: string,
  mint: (organization: Organization, created_at: string) => Promise<string>,
  mintEmpty: () => Promise<Organization> = mintOrganization,
): void {
  describe(`the pages of ${path}`, () => {
    let organization: Organization;
    let ordered: { id: string }[];

    beforeAll(async () => {
      organization = await mintEmpty();
      const records: { created_at: string; id: string }[] = [];
      for (const second of seconds) {
        const created_at = `2026-01-01T00:00:0${second}.000Z`;
        records.push({ created_at, id: await mint(organization, created_at) });
      }
      const key = ({ created_at, id }: { created_at: string; id: string }) => `${created_at} ${id}`;
      ordered = records.sort((a, b) => (key(a) < key(b) ? -1 : 1)).map(({ id }) => ({ id }));
    });

    const get = async (query: string, key = organization.keys.viewer) => {
      const api = openApi();
      const answer = await api.send("GET", path + query, { key });
      expect(await api.calls()).toBe(1);
      return seen(answer);
    };

    test.each(slices)(
      "'$query' returns the records from $from to $to of 7 by created_at and id, has_more $has_more",
      async ({ query, from, to, ...page }) => {
        const expected = ordered.slice(from, to).map((record) => expect.objectContaining(record));
        expect(await get(query)).toEqual(
          succeeded(expected, {
            pagination: {
              total_count: count,
              ...page,
              next_cursor: page.has_more ? expect.any(String) : null,
            },
            ...(page.limit !== 0 && { etags: expected.map(() => expect.stringMatching(/^".+"$/)) }),
          }),
        );
      },
    );

    test.each([
      { query: "", limit: 50 },
      { query: "?limit=0", limit: 0 },
      { query: "?limit=0&offset=3", limit: 0, offset: 3 },
    ])("'$query' in an organization without records is empty", async ({ query, ...page }) => {
      const { keys } = await mintEmpty();
      // The first stream with a key that is new to the isolate needs one more call.
      await get("?limit=1", keys.viewer);
      const pagination = {
        ...{ total_count: 0, offset: 0, has_more: false, next_cursor: null },
        ...page,
      };
      expect(await get(query, keys.viewer)).toEqual(
        succeeded([], { pagination, ...(page.limit !== 0 && { etags: [] }) }),
      );
    });

    test.each([
      ["?limit=1001", "must be a whole number from 0 to 1000"],
      ["?limit=", "must be a whole number from 0 to 1000"],
      ["?offset=-1", "must be a whole number from 0 to 2147483647"],
      ["?offset=+5", "must be a whole number from 0 to 2147483647"],
      ["?limit=5&limit=5", "must be given only once"],
      ["?limit=5&offset=0&%6Cimit=", "must be given only once"],
    ])("rejects '%s' and names the valid range", async (query, message) => {
      const path = query.startsWith("?offset") ? "query.offset" : "query.limit";
      const issues = [{ path, message, code: expect.any(String) }];
      expect(await get(query)).toEqual(failed("validation_failed", { issues, issue_count: 1 }));
    });

    test("reports all issues at once", async () => {
      expect(await get("?limit=1001&offset=-1")).toEqual(invalidAt("query.limit", "query.offset"));
    });

    test.each([
      ["unknown=1", "unknown"],
      ["unknown", "unknown"],
      ["unknown=1&unknown=2", "unknown"],
      ["Limit=5", "Limit"],
      ["limit[]=5", "limit[]"],
      ["organization_id=5", "organization_id"],
      ["__proto__=x", "__proto__"],
      ["constructor=x", "constructor"],
      ["%", "%"],
    ])("rejects the unknown parameter '%s' and names the known ones", async (query, name) => {
      const answer = await get(`?${query}`);
      expect(answer).toEqual(invalidAt(`query.${name}`));
      expect(answer.body).toMatchObject({
        params: {
          issues: [
            {
              message: expect.stringMatching(
                /^is not a parameter of this request(: did you mean limit|, which accepts .*(limit, offset, cursor|and \d+ more, see \/docs))$/,
              ),
            },
          ],
        },
      });
    });
  });
}
