import { afterAll, beforeAll } from "vitest";
import * as z from "zod";
import { type Api, openApi } from "../helpers/api.ts";
import { updateOf } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { mintCredential, mintOrganization, type Organization } from "../helpers/organization.ts";
import { describeRace, type Race } from "./race.ts";

/** The caller, and a credential with its old and its new tag. */
interface Scene {
  api: Api;
  key: string;
  organization: string;
  credential: string;
  tags: { old: string; new: string };
}

/** The response that a contender received. */
interface Outcome {
  status: number;
  code?: string | undefined;
  etag?: string | null;
}

interface Design {
  /** Replaces the credential, with only the new tag. */
  replace(scene: Scene): Promise<Outcome>;
  deleteTag(scene: Scene, tag: string): Promise<Outcome>;
  tagsOf(scene: Scene): Promise<string[]>;
}

const failure = z.object({ code: z.string() });
const codeOf = (body: unknown) => failure.safeParse(body).data?.code;

/** Deletes a tag while a credential that has the tag, or will have it, is replaced. */
function raceOf({ replace, deleteTag, tagsOf }: Design): Race {
  const api = openApi();
  let owner: Organization | undefined;
  let rounds = 0;
  return {
    async round() {
      owner ??= await mintOrganization();
      const { id, keys } = owner;
      const credential = await mintCredential(id);
      const tags = { old: crypto.randomUUID(), new: crypto.randomUUID() };
      await sql.transaction([
        sql`insert into tags (organization_id, id, name)
          select ${id}, tag, tag::text from unnest(${Object.values(tags)}::uuid[]) as tag`,
        sql`insert into credential_tags values (${id}, ${credential}, ${tags.old})`,
      ]);
      const scene = { api, key: keys.admin, organization: id, credential, tags };
      rounds++;
      const deleted = rounds % 2 === 0 ? tags.old : tags.new;
      // Alternate the order: the first contender often wins.
      const contenders = [() => replace(scene), () => deleteTag(scene, deleted)];
      const outcomes = await Promise.all(
        (rounds % 4 < 2 ? contenders : contenders.toReversed()).map((run) => run()),
      );
      const [replaced, removed] = rounds % 4 < 2 ? outcomes : outcomes.toReversed();
      const left = await tagsOf(scene);
      const etag = await api.send("GET", `/api/v1/credentials/${credential}`, { key: keys.admin });
      const isReplaced =
        replaced?.status === 200 ||
        (deleted === tags.new && replaced?.code === "entity_reference_invalid");
      const hasShrunk = replaced?.status === 200 && deleted === tags.new && left.length === 0;
      return [
        ...(isReplaced ? [] : [`the credential: ${JSON.stringify(replaced)}`]),
        ...(removed?.status === 200 ? [] : [`the tag: ${JSON.stringify(removed)}`]),
        ...(left.includes(deleted) ? ["a dangling tag"] : []),
        ...(hasShrunk && replaced.etag === etag.headers.get("ETag")
          ? ["the set has shrunk, but the entity tag has not changed"]
          : []),
      ];
    },
  };
}

const design: Design = {
  async replace({ api, key, organization, credential, tags }) {
    const { status, body, headers } = await api.send("PUT", `/api/v1/credentials/${credential}`, {
      key,
      json: updateOf(organization, { tags: [tags.new] }),
    });
    return { status, code: codeOf(body), etag: headers.get("ETag") };
  },
  async deleteTag({ api, key }, tag) {
    const { status, body } = await api.send("DELETE", `/api/v1/tags/${tag}`, { key });
    return { status, code: codeOf(body) };
  },
  async tagsOf({ credential }) {
    const rows = await sql`select tag_id from credential_tags where credential_id = ${credential}`;
    return rows.map((row) => String(row["tag_id"]));
  },
};

const table = `naive_${crypto.randomUUID().replaceAll("-", "")}`;

/** A set without a foreign key, written after a check. */
const naive: Design = {
  async replace({ credential, tags }) {
    const [tag] = await sql`select from tags where id = ${tags.new}`;
    if (!tag) {
      return { status: 400, code: "entity_reference_invalid" };
    }
    await sql.query(`insert into ${table} values ($1, $2)`, [credential, tags.new]);
    return { status: 200 };
  },
  async deleteTag(_, tag) {
    await sql.transaction([
      sql.query(`delete from ${table} where tag_id = $1`, [tag]),
      sql`delete from tags where id = ${tag}`,
    ]);
    return { status: 200 };
  },
  async tagsOf({ credential }) {
    const rows = await sql.query(`select tag_id from ${table} where credential_id = $1`, [
      credential,
    ]);
    return rows.map((row) => String(row["tag_id"]));
  },
};

beforeAll(async () => {
  await sql.query(`create table ${table} (credential_id uuid, tag_id uuid)`);
});
afterAll(async () => {
  await sql.query(`drop table ${table}`);
});

describeRace(
  "deleting a tag while a credential is replaced leaves no dangling tag, and both succeed",
  {
    design: raceOf(design),
    naive: { name: "a check before the write, and no foreign key", race: raceOf(naive) },
  },
);
