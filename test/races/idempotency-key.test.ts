import * as z from "zod";
import { type Answer, type Api, openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintOrganization, type Organization } from "../helpers/organization.ts";
import { atOnce, describeRace, type Race } from "./race.ts";

const callers = 8;
const record = z.object({ data: z.looseObject({ id: z.string() }) });

/** How a caller creates a network, once for each Idempotency-Key. */
type Create = (request: {
  api: Api;
  key: string;
  idempotencyKey: string;
  json: { name: string };
}) => Promise<Answer>;

/**
 * Callers who send the same create with one Idempotency-Key.
 * @param options.isAnswerLost loses the answer of the call that reaches the database first, after
 *   its COMMIT; whoever gets no answer sends the request again
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
      // Where the answer that was lost was the one of the record's creation, all others replay it.
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

/** Looks for the record before it creates one. */
const naive: Create = async ({ api, key, json }) => {
  const list = await api.send("GET", `/api/v1/networks?q=${json.name}`, { key });
  const [data] = list.status === 200 ? listBody.parse(list.body).data : [];
  if (data === undefined) {
    return list.status === 200 ? api.send("POST", "/api/v1/networks", { key, json }) : list;
  }
  list.headers.set("Idempotent-Replayed", "true");
  return { ...list, status: 201, body: { data } };
};

describeRace("eight creates with one Idempotency-Key: one record, seven replays", {
  design: raceOf(design, { isAnswerLost: false }),
  naive: {
    name: "a look before the create",
    race: raceOf(naive, { isAnswerLost: false }),
  },
});

describeRace("the same, one of them with its answer lost after COMMIT", {
  design: raceOf(design, { isAnswerLost: true }),
  naive: {
    name: "a create that is sent again as it is",
    race: raceOf(({ api, key, json }) => api.send("POST", "/api/v1/networks", { key, json }), {
      isAnswerLost: true,
    }),
  },
});
