import { expect, test } from "vitest";
import * as z from "zod";
import document from "../../src/docs/assets/openapi.json" with { type: "json" };
import { sql } from "../helpers/database.ts";

const kinds = z.array(z.object({ relation: z.string(), fields: z.string() }));

test("the OpenAPI document has every field that a change of any kind can contain, and no other", async () => {
  const names = new Set(["id", "network_id", "created_at", "valid_from"]);
  for (const { relation, fields } of kinds.parse(await sql`select * from app.change_kinds()`)) {
    const query = `select ${fields} from public."${relation}" as version limit 0`;
    const result = await sql.query(query, [], { fullResults: true });
    for (const { name } of result.fields) {
      names.add(name);
    }
  }
  const documented = Object.keys(document.components.schemas.ChangedFields.properties);
  expect(documented.toSorted()).toEqual([...names].toSorted());
});
