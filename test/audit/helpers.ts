import { expect } from "vitest";
import * as z from "zod";
import { auditEntrySchema } from "../../src/audit/model.ts";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";

const auditPage = z.object({
  data: z.array(auditEntrySchema),
  meta: z.object({ next_cursor: z.string(), has_more: z.boolean() }),
});

/**
 * Creates an organization. Returns it with functions that send requests with its Owner key and read
 * its audit log.
 * @param variables environment variables that replace those in the test configuration
 */
export async function openAudit(variables: Record<string, string> = {}) {
  const organization = await mintOrganization();
  const api = openApi(variables);
  const send = (method: string, path: string, json?: unknown, key = organization.keys.owner) =>
    api.send(method, `/api/v1/${path}`, { key, json });
  const page = async (query: Record<string, string> = {}, key?: string) => {
    const answer = await send("GET", `audit?${new URLSearchParams(query)}`, undefined, key);
    expect(answer).toMatchObject({ status: 200 });
    return auditPage.parse(answer.body);
  };
  return {
    organization,
    api,
    page,
    send,
    /** Sends a request that must succeed. Returns the `data` of the response. */
    done: async <Data = { id: string }>(method: string, path: string, json?: unknown) => {
      const answer = await send(method, path, json);
      expect(answer.body).toMatchObject({ success: true });
      return (answer.body as { data: Data }).data;
    },
    /** Returns a record's audit entries, oldest first, each as its action and changed fields. */
    logOf: async (entity_id: string) =>
      (await page({ entity_id })).data
        .map(({ action, changed }) => [action, ...changed].join(" "))
        .toReversed(),
  };
}
