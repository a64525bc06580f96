import * as z from "zod";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { describeRace, type Race } from "./race.ts";

const api = openApi();
const own = z.object({ data: z.object({ api_key: z.object({ id: z.string() }) }) });

/** Deletes an Owner key with a request authenticated by that key. Returns the status. */
type Delete = (request: { organization: string; key: string; id: string }) => Promise<number>;

/** Deletes the last two Owner keys at once, each with a request authenticated by that key. */
function raceOf(deleteKey: Delete): Race {
  return {
    async round() {
      const { id: organization, keys } = await mintOrganization();
      const owners = [keys.owner, await mintKey(organization, { role: "Owner" })];
      const ids = await Promise.all(
        owners.map(async (key) => {
          // After this, the gate does not write `last_used_at`, since the key was used recently.
          const { body } = await api.send("GET", "/api/v1/auth/whoami", { key });
          return { key, id: own.parse(body).data.api_key.id };
        }),
      );
      const statuses = await Promise.all(ids.map((key) => deleteKey({ organization, ...key })));
      const rows = await sql`select from user_api_keys
        where organization_id = ${organization} and role = 'Owner'`;
      return [
        ...(rows.length === 1 ? [] : [`${rows.length} keys are left`]),
        ...(statuses.sort().join() === "200,409" ? [] : [`statuses ${statuses}`]),
      ];
    },
  };
}

describeRace("one of the last two Owner keys survives if both are deleted at once", {
  design: raceOf(async ({ key, id }) => {
    const { status } = await api.send("DELETE", `/api/v1/auth/keys/${id}`, { key });
    return status;
  }),
  naive: {
    name: "a count in the condition of the deletion",
    race: raceOf(async ({ organization, id }) => {
      const deleted = await sql`delete from user_api_keys
        where organization_id = ${organization} and id = ${id} and (
          select count(*) from user_api_keys
          where organization_id = ${organization} and role = 'Owner') > 1
        returning id`;
      return deleted.length === 1 ? 200 : 409;
    }),
  },
});
