import { parseArgs } from "node:util";
import pg from "pg";
import {
  BaseSequencer,
  createVitest,
  type Reporter,
  type TestModule,
  type TestSpecification,
} from "vitest/node";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { type MadeDatabase, makeDatabase, onPostgres } from "../local-database/postgres.ts";
import { sampleOf } from "./sample.ts";
import { type Mutant, sqlMutants } from "./sql-mutants.ts";

/**
 * Changes one operator, condition or statement of the database's functions at a time, or one of its
 * policies, triggers and constraints, and runs the tests of the changed part. If no test fails, the
 * mutant survives: either it does not change behavior, or a test is missing.
 */

/** A part of the database, and the tests that must notice its faults. */
interface Part {
  /** Selects mutants by path and change, such as `functions/gate/enter.sql < → <=`. */
  selects: RegExp;
  tests: string[];
}

const parts: Record<string, Part> = {
  gate: {
    selects: /^functions\/(gate|keys)\//,
    tests: [
      "test/api-keys",
      "test/tenancy",
      "test/http/authentication",
      "test/http/api-key",
      "test/http/keys",
      "test/http/token",
      "test/database/key-rules",
      "test/database/forged-settings",
      "test/database/row-level-security",
      "test/database/policies",
      "test/database/settings",
      "test/credentials",
      "test/organizations",
    ],
  },
  tenancy: {
    selects: /open the policy/,
    tests: [
      "test/tenancy",
      "test/database/policies",
      "test/database/row-level-security",
      "test/database/forged-settings",
      "test/credentials",
      "test/daemons/poller/claim",
    ],
  },
  guards: {
    selects: /^functions\/bounds|refuse_|drop the (constraint|unique)/,
    tests: [
      "test/database",
      "test/inventory",
      "test/networks",
      "test/credentials",
      "test/tags",
      "test/organizations",
      "test/daemons",
      "test/audit",
    ],
  },
  history: {
    selects: /^functions\/(history|absence|revisions)\/|^generated|drop the trigger/,
    tests: ["test/changes", "test/database", "test/inventory", "test/daemons", "test/imports"],
  },
  ingest: {
    selects: /^functions\/ingest\//,
    tests: ["test/imports", "test/daemons/poller/report", "test/daemons/poller/scans"],
  },
  feed: {
    selects: /^functions\/(changes|webhooks)\//,
    tests: ["test/changes", "test/database/webhook-visits", "test/http/labels"],
  },
  audit: {
    selects: /^functions\/audit\/|audit_/,
    tests: ["test/audit", "test/database", "test/organizations", "test/credentials"],
  },
};

/** In milliseconds, for the tests without a mutant. */
const longestRun = 1_200_000;

const described = ({ path, line, change }: Mutant) =>
  `${line === undefined ? path : `${path}:${line}`} ${change}`;

/** The results of a test file's earlier runs. */
interface TestFile {
  seconds: number;
  /** The mutants that it has killed. */
  kills: number;
  /** The functions that the database called while it ran, and possibly others. */
  functions: Set<string>;
}

const files = new Map<string, TestFile>();

function fileOf(moduleId: string): TestFile {
  const file = files.get(moduleId) ?? { seconds: 1, kills: 0, functions: new Set() };
  files.set(moduleId, file);
  return file;
}

/** The files that kill the most mutants in a second run first. */
class MostKillsFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const worth = ({ moduleId }: TestSpecification) => {
      const { seconds, kills } = fileOf(moduleId);
      return (kills + 0.1) / (seconds + 0.1);
    };
    return specifications.toSorted((one, other) => worth(other) - worth(one));
  }
}

/** In milliseconds: a connection without requests reports its calls at the latest after this time. */
const callsReportedAfter = 12_000;

/** Notes which functions are called while a test file runs. */
class CallRecorder implements Reporter {
  readonly #serverUrl: string;
  readonly #calls = new Map<string, number>();
  /** When files ended; infinity while they run. */
  readonly #ends = new Map<TestFile, number>();

  constructor(serverUrl: string) {
    this.#serverUrl = serverUrl;
  }

  onTestModuleStart({ moduleId }: TestModule): void {
    this.#ends.set(fileOf(moduleId), Number.POSITIVE_INFINITY);
  }

  async onTestModuleEnd({ moduleId }: TestModule): Promise<void> {
    this.#ends.set(fileOf(moduleId), Date.now());
    const called = await this.#newCalls();
    for (const [file, end] of this.#ends) {
      if (Date.now() - end < callsReportedAfter) {
        called.forEach((name) => void file.functions.add(name));
      }
    }
  }

  async #newCalls(): Promise<string[]> {
    const databases = await onPostgres(this.#serverUrl, (client) =>
      client.query<{ datname: string }>(
        "select datname from pg_database where datname like 'test!_%' escape '!'",
      ),
    );
    const called: string[] = [];
    for (const { datname } of databases.rows) {
      const url = new URL(this.#serverUrl);
      url.pathname = datname;
      // The database may have been dropped meanwhile.
      const rows = await onPostgres(url.href, async (client) => {
        const result = await client.query<{ funcname: string; calls: string }>(
          "select funcname, calls from pg_stat_user_functions",
        );
        return result.rows;
      }).catch(() => []);
      for (const { funcname, calls } of rows) {
        const key = `${datname} ${funcname}`;
        if (this.#calls.get(key) !== Number(calls)) {
          this.#calls.set(key, Number(calls));
          called.push(funcname);
        }
      }
    }
    return called;
  }
}

/** Runs test files on copies of the database at TEST_DATABASE_TEMPLATE. */
async function startTests(testFiles: string[], reporter: Reporter) {
  const vitest = await createVitest(
    "test",
    {
      config: "vitest.config.ts",
      project: ["workers"],
      reporters: [reporter],
      silent: true,
      watch: true,
      bail: 1,
      sequence: { sequencer: MostKillsFirst },
    },
    { server: { watch: null } },
  );
  const all = await vitest.globTestSpecifications(testFiles);
  return {
    /**
     * Runs the files that call the changed function, or all files if that is not known.
     * @param timeLimit in milliseconds; if the tests take longer, the mutant loops or waits for a lock
     * @returns the file of the first test that failed, or undefined if all tests passed
     */
    async run(timeLimit: number, mutant?: Mutant): Promise<string | undefined> {
      // Postgres does not count calls that end with an error.
      const called = mutant === undefined || mutant.canRaise ? null : mutant.function;
      const calling = all.filter(
        ({ moduleId }) => called !== null && fileOf(moduleId).functions.has(called),
      );
      const timer = setTimeout(() => void vitest.cancelCurrentRun("test-failure"), timeLimit);
      const started = Date.now();
      const { testModules, unhandledErrors } = await vitest.rerunTestSpecifications(
        calling.length > 0 ? calling : all,
      );
      clearTimeout(timer);
      let failed = unhandledErrors.length > 0 ? "an unhandled error" : undefined;
      for (const module of testModules) {
        const file = fileOf(module.moduleId);
        if (module.state() === "failed") {
          file.kills++;
          failed ??= module.relativeModuleId;
        } else if (module.state() === "passed") {
          file.seconds = module.diagnostic().duration / 1000;
        }
      }
      return failed ?? (Date.now() - started >= timeLimit ? "the time limit" : undefined);
    },
    close: () => vitest.close(),
  };
}

/** @returns false if Postgres rejects the mutant's SQL */
async function mutate(database: MadeDatabase, { sql }: Mutant): Promise<boolean> {
  return await onPostgres(database.databaseUrl, async (client) => {
    try {
      await client.query(sql);
      return true;
    } catch (error) {
      if (error instanceof pg.DatabaseError) {
        return false;
      }
      throw error;
    }
  });
}

async function testPart(
  name: string,
  { tests }: Part,
  mutants: readonly Mutant[],
  serverUrl: string,
  migrated: MadeDatabase,
): Promise<{ killed: number; survivors: Mutant[] }> {
  process.env["TEST_DATABASE_TEMPLATE"] = migrated.databaseUrl;
  const running = await startTests(tests, new CallRecorder(serverUrl));
  const begin = Date.now();
  const unchanged = await running.run(longestRun);
  const timeLimit = 60_000 + 3 * (Date.now() - begin);
  if (unchanged !== undefined) {
    throw new Error(`${name}: without a mutant, there is a failure in ${unchanged}.`);
  }
  let killed = 0;
  const survivors: Mutant[] = [];
  for (const mutant of mutants) {
    const database = await makeDatabase(serverUrl, migrated);
    try {
      if (await mutate(database, mutant)) {
        process.env["TEST_DATABASE_TEMPLATE"] = database.databaseUrl;
        const started = Date.now();
        const failed = await running.run(timeLimit, mutant);
        const seconds = ((Date.now() - started) / 1000).toFixed(1);
        if (failed === undefined) {
          survivors.push(mutant);
        } else {
          killed++;
        }
        const verdict = failed === undefined ? "survived" : `killed by ${failed}`;
        console.log(`${name}: ${described(mutant)}: ${verdict} (${seconds} s)`);
      }
    } finally {
      await database.drop();
    }
  }
  await running.close();
  return { killed, survivors };
}

const { values } = parseArgs({
  options: {
    part: { type: "string" },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    list: { type: "boolean", default: false },
    minimum: { type: "string", default: "90" },
  },
});
if (values.part !== undefined && !Object.hasOwn(parts, values.part)) {
  console.error(`There is no part ${values.part}. The parts are ${Object.keys(parts).join(", ")}.`);
  process.exit(2);
}
const serverUrl = process.env["TEST_DATABASE_URL"];
if (serverUrl === undefined) {
  console.error("Set TEST_DATABASE_URL to a Postgres on which databases can be created.");
  process.exit(2);
}

const migrated = await makeDatabase(serverUrl);
await onPostgres(migrated.databaseUrl, migrateDatabase);
const all = await onPostgres(migrated.databaseUrl, sqlMutants);
const isSelected = (mutant: Mutant, { selects }: Part) =>
  selects.test(`${mutant.path} ${mutant.change}`);
const candidates = Object.entries(parts)
  .filter(([name]) => values.part === undefined || name === values.part)
  .flatMap(([name, part]) =>
    all.filter((mutant) => isSelected(mutant, part)).map((mutant) => ({ name, mutant })),
  );
const chosen = sampleOf(
  candidates,
  Number(values.sample ?? candidates.length),
  Number(values.seed),
);
let killedInAll = 0;
const survivorsOfAll: string[] = [];
for (const [name, part] of Object.entries(parts)) {
  const mutants = chosen.filter((one) => one.name === name).map(({ mutant }) => mutant);
  if (mutants.length === 0) {
    continue;
  }
  if (values.list) {
    console.log(mutants.map((mutant) => `${name}: ${described(mutant)}`).join("\n"));
    continue;
  }
  const { killed, survivors } = await testPart(name, part, mutants, serverUrl, migrated);
  killedInAll += killed;
  survivorsOfAll.push(...survivors.map((mutant) => `${name}: ${described(mutant)}`));
  console.log(`${name}: ${killed} of ${killed + survivors.length} killed`);
}
await migrated.drop();
if (!values.list) {
  const total = killedInAll + survivorsOfAll.length;
  console.log(["Survivors:", ...survivorsOfAll].join("\n"));
  console.log(`${killedInAll} of ${total} killed.`);
  process.exit(100 * killedInAll >= total * Number(values.minimum) && total > 0 ? 0 : 1);
}
