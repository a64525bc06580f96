import { NeonDbError } from "@neondatabase/serverless";
import { expect, test } from "vitest";
import migration from "../../drizzle/migrations/0000_baseline.sql?raw";
import { sql } from "../helpers/database.ts";

/** The statement in the migration that checks the roles. */
const check = migration
  .split("--> statement-breakpoint")
  .find((statement) => statement.includes("rolbypassrls"));

/** Runs the statements and the check, and rolls everything back. Returns the error message. */
async function refusal(...done: string[]): Promise<string> {
  try {
    await sql.transaction([
      ...done.map((statement) => sql.query(statement)),
      sql.query(check ?? ""),
      sql`select 1 / 0`,
    ]);
  } catch (error) {
    if (error instanceof NeonDbError) {
      return error.message;
    }
    throw error;
  }
  throw new Error("the transaction succeeded");
}

test.each(["inventory_api", "inventory_poller"])(
  "the migration rejects an existing role %s with more privileges",
  async (role) => {
    for (const attribute of [
      "login",
      "superuser",
      "bypassrls",
      "createrole",
      "createdb",
      "replication",
    ]) {
      expect(await refusal(`alter role ${role} ${attribute}`)).toBe(
        `the role ${role} may do more than the service needs (${attribute}): take it away with "alter role ${role} no${attribute}", then migrate again`,
      );
    }
    const group = `group_${crypto.randomUUID().replaceAll("-", "")}`;
    expect(await refusal(`create role ${group}`, `grant ${group} to ${role}`)).toBe(
      `the role ${role} is a member of ${group}: take it away with "revoke ${group} from ${role}", then migrate again`,
    );
  },
);

test("the migration accepts the roles that it created", async () => {
  expect(await refusal()).toBe("division by zero");
});
