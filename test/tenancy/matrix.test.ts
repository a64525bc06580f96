import { beforeAll, expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { mintCredential, mintKey } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { rowsOf } from "../helpers/rows.ts";
import { type Ids, idsOf, nobodys, places, type Request } from "./places.ts";

let own: PopulatedOrganization;
let other: PopulatedOrganization;

beforeAll(async () => {
  own = await mintPopulatedOrganization();
  other = await mintPopulatedOrganization();
});

/** The answer with the ids that were sent replaced by their names. */
async function answerTo({ method, path, json }: Request, sent: Ids, key: string) {
  const api = openApi();
  const answer = await api.send(method, path, { key, json });
  expect(await api.calls()).toBe(1);
  const text = Object.entries(sent).reduce(
    (replaced, [name, id]) => replaced.replaceAll(id, name),
    answer.text,
  );
  const headers = [...answer.headers].filter(([name]) => name !== "x-request-id");
  return { answer, comparable: { status: answer.status, text, headers } };
}

test.each(places)(
  "%s: another organization's id is like nobody's",
  async (_, request, expected) => {
    const before = [await rowsOf(other.id, []), await rowsOf(own.id)];
    const ids = idsOf(own);
    const answers = [];
    for (const sent of [idsOf(other), nobodys()]) {
      const { answer, comparable } = await answerTo(request(ids, sent), sent, own.keys.owner);
      expect(answer).toMatchObject(expected);
      answers.push(comparable);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect([await rowsOf(other.id, []), await rowsOf(own.id)]).toEqual(before);
  },
);

/** Places of ids that lie in a network. Credentials, tags and the organization do not. */
const inNetworks = places.filter(([name]) =>
  /^(the daemon|a network|a whole host|a host and|a host with|an address|the filter)/.test(name),
);

test.each(inNetworks)(
  "%s: an id in a network outside the key's list is like nobody's",
  async (_, request, expected) => {
    const ids = idsOf(own);
    const key = await mintKey(own.id, { role: "Owner" }, [own.networks[1].id]);
    const [, { id, host_id, ip_address_ids }] = own.networks;
    const reachable = {
      ...ids,
      // Its own lies outside, which is refused whatever is sent.
      credential_id: await mintCredential(own.id),
      network_id: id,
      host_id,
      ip_address_id: ip_address_ids[0],
    };
    const before = await rowsOf(own.id);
    const answers = [];
    for (const sent of [ids, nobodys()]) {
      const { answer, comparable } = await answerTo(request(reachable, sent), sent, key);
      expect(answer).toMatchObject(expected);
      answers.push(comparable);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(await rowsOf(own.id)).toEqual(before);
  },
);

test.each(places)("%s: the caller's own id is taken", async (name, request) => {
  const caller = await mintPopulatedOrganization();
  const ids = idsOf(caller);
  // Where an own id stands already, the same one again would be a duplicate.
  const sent = name.includes("beside")
    ? {
        ...ids,
        tag_id: caller.tags[1],
        network_id: caller.networks[1].id,
        ip_address_id: caller.network.ip_address_ids[1],
      }
    : ids;
  const { answer } = await answerTo(request(ids, sent), sent, caller.keys.owner);
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  expect(answer.text).not.toContain('"data":[]');
});
