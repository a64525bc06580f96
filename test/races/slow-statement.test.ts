import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { hashApiKey } from "../../src/api-key.ts";
import { databaseFailureBehind } from "../../src/database/database-failure.ts";
import { openTenantSession } from "../../src/database/session.ts";
import { settingsOf } from "../../src/env.ts";
import { ApiError } from "../../src/errors/errors.ts";
import { mintOrganization } from "../helpers/organization.ts";

// PGlite cannot interrupt a statement.
test("a slow write is cancelled before the caller gives up, and the error says that nothing was changed", async () => {
  const { keys } = await mintOrganization();
  const keyHash = await hashApiKey(keys.owner);
  const key = { keyHash, subject: null, role: "Owner", requestId: "slow" } as const;
  const settings = settingsOf({ ...env, DATABASE_DEADLINE_MS: "1000" });
  const session = openTenantSession(settings, key, false);
  const began = performance.now();
  const error = await session
    .run((database) => [database.execute(sql`select pg_sleep(10)`)])
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ params: { outcome: "unchanged", advice: "repeat" } });
  expect(databaseFailureBehind(error)).toMatchObject({ reason: "deadline", sqlstate: "57014" });
  expect(performance.now() - began).toBeLessThan(1000);
});
