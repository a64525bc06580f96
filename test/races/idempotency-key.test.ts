import * as z from "zod";
import { type Answer, type Api, openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintOrganization, type Organization } from "../helpers/organization.ts";
import { atOnce, describeRace, type Race } from "./race.ts";

const callers = 8;
const record = z.object({ data: z.looseObject({ id: z.string() }) });

/** Creates a network once per Idempotency-Key. */
type Create = (request: {
  api: Api;
  key: string;
  idempotencyKey: string;
  json: { name: string };
}) => Promise<Answer>;

/**
 * Callers that send the same create request with one Idempotency-Key.
 * @param options.isAnswerLost drops the response to the first call that reaches the database, after
 * its COMMIT; a caller without a response repeats its request
 */
function raceOf(create: Create, { isAnswerLost }: { isAnswerLost: boolean }): Race {
  const api = openApi();
  let organization: Organization | undefined;
  return {
    async round() {
      organization ??= await mintOrganization();
      const { id, keys } = organization;
      const idempotencyKey = crypto.randomUUID();
      const json = { name: idempotencyKey, organization_id: id };
      const send = () => create({ api, key: keys.admin, idempotencyKey, json });
      if (isAnswerLost) {
        await api.disturb({ faults: [{ kind: "lost_answer" }] });
      }
      let lost = 0;
      const answers = await atOnce(callers, async () => {
        const answer = await send();
        if (answer.status !== 503) {
          return answer;
        }
        lost++;
        return send();
      });
      const rows = await sql`select id from networks
        where organization_id = ${id} and name = ${idempotencyKey}`;
      const isReplay = ({ headers }: Answer) => headers.get("Idempotent-Replayed") === "true";
      const replays = answers.filter(isReplay).length;
      const bodies = new Set(
        answers.map(({ body }) => JSON.stringify(record.safeParse(body).data)),
      );
      // If the lost response was for the call that created the record, all other calls replay it.
      const possible = isAnswerLost ? [callers - 1, callers] : [callers - 1];
      return [
        ...(rows.length === 1 ? [] : [`${rows.length} records`]),
        ...(bodies.size === 1 ? [] : [`${bodies.size} different bodies`]),
        ...answers
          .filter(({ status }) => status !== 201)
          .map(({ status, text }) => `${status} ${text}`),
        ...(possible.includes(replays) ? [] : [`${replays} replays`]),
        ...(lost === (isAnswerLost ? 1 : 0) ? [] : [`${lost} answers lost`]),
      ];
    },
  };
}

const design: Create = ({ api, key, idempotencyKey, json }) =>
  api.send("POST", "/api/v1/networks", {
    key,
    json,
    headers: { "Idempotency-Key": idempotencyKey },
  });

const listBody = z.object({ data: z.array(z.looseObject({ id: z.string() })) });

/** Searches for the record before creating it. */
const naive: Create = async ({ api, key, json }) => {
  const list = await api.send("GET", `/api/v1/networks?q=${json.name}`, { key });
  const [data] = list.status === 200 ? listBody.parse(list.body).data : [];
  if (data === undefined) {
    return list.status === 200 ? api.send("POST", "/api/v1/networks", { key, json }) : list;
  }
  list.headers.set("Idempotent-Replayed", "true");
  return { ...list, status: 201, body: { data } };
};

describeRace("eight creates with one Idempotency-Key make one record and seven replays", {
  design: raceOf(design, { isAnswerLost: false }),
  naive: {
    name: "a search before the create",
    race: raceOf(naive, { isAnswerLost: false }),
  },
});

describeRace(
  "eight creates with one Idempotency-Key, one of which loses its response after COMMIT",
  {
    design: raceOf(design, { isAnswerLost: true }),
    naive: {
      name: "a create that is repeated without a key",
      race: raceOf(({ api, key, json }) => api.send("POST", "/api/v1/networks", { key, json }), {
        isAnswerLost: true,
      }),
    },
  },
);
