import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

// drizzle-kit reports a difference only by writing a migration, so run it on a copy.
const folder = mkdtempSync(join(tmpdir(), "migrations-"));
try {
  cpSync("drizzle/migrations", folder, { recursive: true });
  const before = readdirSync(folder).length;
  execFileSync("drizzle-kit", [
    "generate",
    "--dialect=postgresql",
    "--schema=./src/database/tables/index.ts",
    `--out=${relative(process.cwd(), folder)}`,
  ]);
  const isMissing = readdirSync(folder).length !== before;
  console.log(
    isMissing
      ? "The schema has changes without a migration: run npm run generate and commit the result."
      : "Migrations: the schema has no change without one.",
  );
  process.exitCode = isMissing ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
