import { parseArgs } from "node:util";
import { startLocalDatabase } from "../../drizzle/local/server.ts";
import { makeDatabase } from "../local-database/postgres.ts";
import { cases, preparation, removal } from "./cases.ts";
import { ask, compare, type Endpoint } from "./compare.ts";

const usage = `Usage: npm run test:neon -- CONNECTION_STRING [--endpoint URL]

Sends raw requests to a Neon endpoint and to the local stand-in, and prints where they answer differently.
CONNECTION_STRING is that of a role that may create a schema. --endpoint defaults to the one that the driver
derives from its host. TEST_DATABASE_URL names the Postgres behind the stand-in; without it, it is embedded.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { endpoint: { type: "string" } },
});
const [connectionString] = positionals;
if (connectionString === undefined || !URL.canParse(connectionString)) {
  console.error(usage);
  process.exit(2);
}

/** As in @neondatabase/serverless: the first label of the host name becomes `api`. */
const derived = `https://${new URL(connectionString).hostname.replace(/^[^.]+\./, "api.")}/sql`;

const postgresUrl = process.env["TEST_DATABASE_URL"];
const made = postgresUrl === undefined ? null : await makeDatabase(postgresUrl);
const standIn = await startLocalDatabase(made === null ? {} : { databaseUrl: made.databaseUrl });
const endpoints: [Endpoint, Endpoint] = [
  { url: standIn.endpoint, connectionString: standIn.connectionString },
  { url: values.endpoint ?? derived, connectionString },
];
const run = async (statements: readonly string[]) => {
  for (const endpoint of endpoints) {
    for (const query of statements) {
      const answer = await ask(endpoint, {
        name: query,
        body: JSON.stringify({ query, params: [] }),
      });
      if (answer.status !== 200) {
        throw new Error(`${endpoint.url} answered ${answer.status} to: ${query}`);
      }
    }
  }
};

try {
  await run(preparation);
  const differences = await compare(...endpoints, cases);
  for (const { sent, one, other } of differences) {
    const known = sent.knownDifference === undefined ? "" : ` (known: ${sent.knownDifference})`;
    console.log(`${sent.name}${known}`);
    for (const [name, answer] of [
      ["stand-in", one],
      ["endpoint", other],
    ] as const) {
      console.log(`  ${name}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
    }
  }
  const unknown = differences.filter(({ sent }) => sent.knownDifference === undefined);
  console.log(
    `${cases.length} requests: ${differences.length} answered differently, ${unknown.length} of them unexpectedly`,
  );
  process.exitCode = unknown.length === 0 ? 0 : 1;
} finally {
  await run(removal).catch(() => {});
  await standIn.close();
  await made?.drop();
}
