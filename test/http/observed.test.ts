import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { keyIdOf } from "../helpers/api-keys.ts";
import { sql } from "../helpers/database.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { etagOf } from "../helpers/records.ts";

/**
 * Records with fields that the service itself updates. `observe` updates them as the service does,
 * and `body` contains a change by a caller.
 */
const kinds: [
  what: string,
  open: (organization: PopulatedOrganization) => Promise<{
    path: string;
    body: object;
    observe: () => Promise<unknown>;
  }>,
][] = [
  [
    "a daemon that is polled",
    async ({ id, records, networks }) => ({
      path: `/api/v1/daemons/${records.daemons}`,
      body: { name: "After" },
      observe: () =>
        sql.transaction([
          sql`set local role inventory_poller`,
          sql`update daemons set last_seen_at = now(), consecutive_failures = consecutive_failures + 1
            where organization_id = ${id} and id = ${records.daemons}
              and network_id = ${networks[0].id}`,
        ]),
    }),
  ],
  [
    "an API key that is used",
    async ({ id, keys }) => {
      const key = await keyIdOf(keys.member);
      return {
        path: `/api/v1/auth/keys/${key}`,
        body: { name: "After", permissions: "Member" },
        observe: () =>
          sql`update user_api_keys
            set last_used_at = coalesce(last_used_at, now()) - interval '1 hour'
            where organization_id = ${id} and id = ${key}`,
      };
    },
  ],
];

test.each(kinds)(
  "after the service updates %s, a cached copy is outdated, but the old ETag can still be used to change the record",
  async (_, open) => {
    const organization = await mintPopulatedOrganization();
    const api = openApi();
    const { path, body, observe } = await open(organization);
    const send = (method: string, headers: Record<string, string> = {}, json?: object) =>
      api.send(method, path, { key: organization.keys.owner, headers, json });
    const first = etagOf(await send("GET"));
    expect((await send("GET", { "If-None-Match": first })).status).toBe(304);

    await observe();
    const second = await send("GET", { "If-None-Match": first });
    expect(second.status).toBe(200);
    expect(etagOf(second)).not.toBe(first);

    const changed = await send(
      "PUT",
      { "If-Match": first },
      { ...Object(second.body).data, ...body },
    );
    expect(changed.status).toBe(200);
    const refused = await send(
      "PUT",
      { "If-Match": first },
      { ...Object(second.body).data, ...body },
    );
    expect(refused).toMatchObject({ status: 412, body: { params: { etag: etagOf(changed) } } });
    // A tag that has never been returned.
    const made = first.replace(/"$/, '0"');
    expect(
      (await send("PUT", { "If-Match": made }, { ...Object(second.body).data, ...body })).status,
    ).toBe(412);
  },
);
