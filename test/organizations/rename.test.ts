import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";

test("the owner renames the organization", async () => {
  const api = openApi();
  const { id, keys } = await mintOrganization({ name: "Before" });
  const answer = await api.send("PUT", `/api/v1/organizations/${id}`, {
    key: keys.owner,
    json: "  After  ",
  });
  expect(answer).toMatchObject({ status: 200, body: { success: true, data: { id, name: "After" } } });
  expect(await api.calls()).toBe(1);
});
