import * as z from "zod";
import { type Answer, type Api, openApi } from "../helpers/api.ts";
import { updateOf } from "../helpers/credentials.ts";
import {
  mintCredential,
  mintHost,
  mintOrganization,
  type Organization,
} from "../helpers/organization.ts";
import { atOnce, describeRace, type Race } from "./race.ts";

const writers = 8;
const record = z.object({ data: z.object({ name: z.string() }) });

/** Changes a record if its current entity tag is the given one. */
type Write = (request: {
  api: Api;
  key: string;
  path: string;
  etag: string;
  json: unknown;
}) => Promise<Answer>;

/** A record that writers compete for. */
interface Raced {
  path(organization: Organization): Promise<string>;
  named(organization: Organization, name: string): unknown;
}

/** Locked first, then written in several statements. */
const credential: Raced = {
  path: async ({ id }) => `/api/v1/credentials/${await mintCredential(id)}`,
  named: ({ id, tags }, name) => updateOf(id, { name, tags }),
};

/** Locked, checked and written in one statement. */
const itself: Raced = {
  path: async ({ id }) => `/api/v1/organizations/${id}`,
  named: (_, name) => ({ name }),
};

/** Locked by the statement that writes it, after the checks. */
const host: Raced = {
  path: async ({ id, networks }) => `/api/v1/hosts/${(await mintHost(id, networks[0].id)).host_id}`,
  named: ({ networks }, name) => ({ network_id: networks[0].id, name, tags: [] }),
};

/**
 * Writers that have read the same version of a record: exactly one may write, and its version
 * remains.
 */
function raceOf(raced: Raced, write: Write): Race {
  const api = openApi();
  let organization: Organization | undefined;
  return {
    async round() {
      organization ??= await mintOrganization();
      const owned = organization;
      const key = owned.keys.owner;
      const path = await raced.path(owned);
      const read = () => api.send("GET", path, { key });
      const etag = (await read()).headers.get("ETag") ?? "";
      const answers = await atOnce(writers, (number) =>
        write({ api, key, path, etag, json: raced.named(owned, `Writer ${number}`) }),
      );
      const statuses = answers.map(({ status }) => status).sort();
      const expected = [200, ...Array(writers - 1).fill(412)];
      const left = await read();
      const winners = answers.filter(({ status }) => status === 200);
      const nameOf = ({ body }: Answer) => record.parse(body).data.name;
      return [
        ...(statuses.join() === expected.join() ? [] : [`statuses ${statuses}`]),
        ...winners
          .filter((winner) => nameOf(winner) !== nameOf(left))
          .map((winner) => `${nameOf(winner)} received 200, but the record is ${nameOf(left)}`),
        ...winners
          .filter(({ headers }) => headers.get("ETag") !== left.headers.get("ETag"))
          .map(({ headers }) => `the winner received the entity tag ${headers.get("ETag")}`),
      ];
    },
  };
}

for (const [name, raced] of Object.entries({ credential, host, organization: itself })) {
  describeRace(
    `of eight writers of a ${name} with the same If-Match, one succeeds and the others get 412`,
    {
      design: raceOf(raced, ({ api, key, path, etag, json }) =>
        api.send("PUT", path, { key, json, headers: { "If-Match": etag } }),
      ),
      naive: {
        name: "a check in one call and a write in the next",
        race: raceOf(raced, async ({ api, key, path, etag, json }) => {
          const current = await api.send("GET", path, { key });
          return current.headers.get("ETag") === etag
            ? api.send("PUT", path, { key, json })
            : { ...current, status: 412 };
        }),
      },
    },
  );
}
