import { expect, test } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";
import * as z from "zod";
import packageJson from "../package.json" with { type: "json" };
import { version } from "../src/env.ts";

const queues = z.array(z.looseObject({ queue: z.string() }));

const configurationSchema = z.looseObject({
  name: z.string(),
  queues: z.object({ producers: queues, consumers: queues }),
  ratelimits: z.array(z.looseObject({ namespace_id: z.string() })),
  analytics_engine_datasets: z.array(z.looseObject({ dataset: z.string().optional() })),
});

const read = (env: string) =>
  configurationSchema.parse(readConfig({ config: "wrangler.toml", env }));

const production = read("");
const staging = read("staging");

type Configuration = typeof production;

/** The names that belong to the account. */
const accountNames = (configuration: Configuration) => [
  configuration.name,
  ...configuration.queues.producers.map(({ queue }) => queue),
  ...configuration.ratelimits.map(({ namespace_id }) => namespace_id),
  ...configuration.analytics_engine_datasets.map(({ dataset }) => dataset),
];

/** The configuration of a Worker, with numbers in place of the names that belong to the account. */
function settingsOf(configuration: Configuration): unknown {
  const names: unknown[] = accountNames(configuration);
  const { targetEnvironment, topLevelName, ...settings } = configuration;
  return JSON.parse(
    JSON.stringify(settings, (_, value) => (names.includes(value) ? names.indexOf(value) : value)),
  );
}

test("staging is configured like production", () => {
  expect(settingsOf(staging)).toEqual(settingsOf(production));
});

test("staging shares no queue, namespace of rate limits or dataset with production", () => {
  const names = [...accountNames(production), ...accountNames(staging)];
  expect(names.length).toBeGreaterThanOrEqual(2 * 9);
  expect(names.filter((name, position) => names.indexOf(name) !== position)).toEqual([]);
});

test.each([
  ["production", production],
  ["staging", staging],
] as const)("each queue that %s sends to has a consumer", (_, configuration) => {
  const { producers, consumers } = configuration.queues;
  expect(consumers.map(({ queue }) => queue).toSorted()).toEqual(
    producers.map(({ queue }) => queue).toSorted(),
  );
});

test("the Worker has the version of the package", () => {
  expect(version).toBe(packageJson.version);
});
