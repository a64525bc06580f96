import { globSync, readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { BaseSequencer, createVitest, type TestModule, type TestSpecification } from "vitest/node";
import { configOf } from "../../vitest.config.ts";
import type { Activation } from "./active-mutant.ts";
import { sampleOf } from "./sample.ts";

/**
 * Changes one operator, condition or literal of `src` at a time, and runs the tests that execute it.
 * If no test fails, the mutant survives: either it does not change behavior, or a test is missing.
 * The files of `src` are not changed: Vitest gets instrumented code, which contains all mutants, and
 * in which each mutant can be switched on.
 */

/** Sources, and the test files that must kill their mutants. */
const parts: Record<string, { sources: string[]; tests: string[] }> = {
  gate: {
    sources: [
      "src/api-key.ts",
      "src/http/{authenticate,presented-key,token}.ts",
      "src/api-keys/{create,issue-token,mint,rotate,whoami}.ts",
    ],
    tests: [
      "test/http/{api-key,authentication,database-faults,elsewhere,rate-limit,token}.test.ts",
      "test/api-keys/{create,outliving,rotate,tokens,whoami}.test.ts",
      "test/organizations/operators.test.ts",
    ],
  },
  operators: {
    sources: ["src/http/authenticate-operator.ts"],
    tests: ["test/http/{log,rate-limit}.test.ts", "test/organizations/operators.test.ts"],
  },
  cursors: {
    sources: ["src/http/list/cursor.ts"],
    tests: [
      "test/http/{cursors,page-query}.test.ts",
      "test/changes/{cursor-kinds,expired,list}.test.ts",
      "test/audit/list.test.ts",
    ],
  },
  exports: {
    sources: [
      "src/inventory/exports/{addresses,ansible,hosts-file,names,oxidized,prometheus,reserved-names}.ts",
    ],
    tests: ["test/inventory/exports/{names,addresses,exports}.test.ts"],
  },
};

/** The most mutants that one Worker tests, so that a broken Worker affects few of them. */
const batchSize = 25;

/** In milliseconds: a Worker that finishes no test file in this time is in an endless loop. */
const patience = 90_000;

const { values } = parseArgs({
  options: {
    part: { type: "string", multiple: true, default: Object.keys(parts) },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    list: { type: "boolean", default: false },
    minimum: { type: "string", default: "90" },
  },
});

for (const part of values.part) {
  if (!Object.hasOwn(parts, part)) {
    console.error(`There is no part ${part}. The parts are ${Object.keys(parts).join(", ")}.`);
    process.exit(2);
  }
}

const silent = () => {};
const logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => true,
  isErrorEnabled: () => true,
  isFatalEnabled: () => true,
  trace: silent,
  debug: silent,
  info: silent,
  warn: console.warn,
  error: console.error,
  fatal: console.error,
};

/** Creates the mutants of a part, and the code that contains them. */
async function instrument(sources: string[]) {
  const files = globSync(sources)
    .sort()
    .map((name) => ({ name: resolve(name), mutate: true, content: readFileSync(name, "utf8") }));
  const result = await new Instrumenter(logger).instrument(files, {
    plugins: null,
    ignorers: [],
    excludedMutations: [],
  });
  const mutants = result.mutants.map(({ id, fileName, replacement, location: { start, end } }) => {
    const lines = files.find(({ name }) => name === fileName)?.content.split("\n") ?? [];
    const original = lines.slice(start.line, end.line + 1);
    original.push((original.pop() ?? "").slice(0, end.column));
    original[0] = (original[0] ?? "").slice(start.column);
    const file = relative(".", fileName);
    return { id, file, line: start.line + 1, original: original.join("\n"), replacement };
  });
  const code = new Map(result.files.map(({ name, content }) => [name, content]));
  return { mutants, code };
}

type Mutant = Awaited<ReturnType<typeof instrument>>["mutants"][number];

/** Keeps the order of the files. */
class InOrder extends BaseSequencer {
  override sort = async (specifications: TestSpecification[]) => specifications;
}

/** Starts a Vitest that runs the Workers' tests on the instrumented code. */
async function start(code: Map<string, string>) {
  const [workers] = configOf({ isLong: false }).test?.projects ?? [];
  if (typeof workers !== "object" || !("test" in workers)) {
    throw new Error("vitest.config.ts does not begin with the project for Workers.");
  }
  const load = { name: "mutants", enforce: "pre", load: (id: string) => code.get(id) } as const;
  let progressed = silent;
  const vitest = await createVitest("test", {
    config: false,
    watch: false,
    silent: true,
    reporters: [{ onTestModuleEnd: () => progressed() }],
    sequence: { sequencer: InOrder },
    projects: [
      {
        ...workers,
        plugins: [load, ...(workers.plugins ?? [])],
        test: {
          ...workers.test,
          maxWorkers: 1,
          setupFiles: ["./test/mutants/active-mutant.ts", "./test/helpers/setup.ts"],
        },
      },
    ],
  });
  vitest.provide("mutants", {});
  await vitest.standalone();
  const [project] = vitest.projects;
  if (project === undefined) {
    throw new Error("Vitest has no project.");
  }
  return {
    provide: (mutants: Record<string, Activation>) => project.provide("mutants", mutants),
    close: () => vitest.close(),
    /**
     * Runs test files, given as paths with an optional query, one after the other.
     * @returns the finished files; fewer if one of them does not end
     */
    async run(paths: string[]): Promise<Map<string, TestModule>> {
      let timer: NodeJS.Timeout | undefined;
      const stalled = new Promise<void>((stop) => {
        progressed = () => {
          clearTimeout(timer);
          timer = setTimeout(stop, patience);
        };
        progressed();
      });
      const specifications = paths.map((path) => project.createSpecification(path));
      const run = vitest.rerunTestSpecifications(specifications);
      stalled.then(() => {
        // The first call waits for the Worker; the second kills it, like a second Ctrl+C.
        vitest.cancelCurrentRun("keyboard-input");
        vitest.cancelCurrentRun("keyboard-input");
      });
      await run;
      clearTimeout(timer);
      const modules = specifications.flatMap(({ testModule }) => testModule ?? []);
      const ended = modules.filter((module) => !["pending", "queued"].includes(module.state()));
      return new Map(ended.map((module) => [module.moduleId, module]));
    },
  };
}

type Vitest = Awaited<ReturnType<typeof start>>;
type Verdict = "killed" | "timed out" | "survived" | "not executed";

/** A mutant, and the test files that execute it. */
interface Trial extends Mutant, Activation {
  files: string[];
}

/** Runs the tests without a mutant, to see which files execute which mutants. */
async function trialsOf(vitest: Vitest, mutants: Mutant[], partOf: Map<string, string>) {
  const filesOf = (mutant: Mutant) => testsOf(partOf.get(mutant.file) ?? "");
  const paths = [...new Set(mutants.flatMap(filesOf))];
  const modules = [...(await vitest.run(paths)).values()];
  const failed = modules.filter((module) => module.state() !== "passed");
  if (paths.length === 0 || modules.length < paths.length || failed.length > 0) {
    const names = failed.map(({ moduleId }) => moduleId).join(", ");
    throw new Error(`Without a mutant, all tests must exist, end and pass. These do not: ${names}`);
  }
  const coverage = modules.at(-1)?.meta().coverage;
  const durations = new Map(modules.map((one) => [one.moduleId, one.diagnostic().duration]));
  const durationOf = (file: string) => durations.get(file) ?? 0;
  return mutants.map((mutant): Trial => {
    const hitsIn = (file: string) => coverage?.perTest[file]?.[mutant.id] ?? 0;
    const isStatic = mutant.id in (coverage?.static ?? {});
    // All files share the modules, so any of them may depend on what a module has computed.
    const files = filesOf(mutant)
      .filter((file) => isStatic || hitsIn(file) > 0)
      .sort((one, other) => durationOf(one) - durationOf(other));
    const hits = Math.max(coverage?.static[mutant.id] ?? 0, ...files.map(hitsIn));
    return { ...mutant, source: resolve(mutant.file), files, isStatic, hitLimit: hits * 100 };
  });
}

/**
 * Tests mutants one after the other in one Worker. If a mutant has broken the Worker, so that tests
 * fail without a mutant too, tests each half of them in a Worker of its own.
 */
async function judge(vitest: Vitest, trials: Trial[]): Promise<Map<string, Verdict>> {
  vitest.provide(Object.fromEntries(trials.map((trial) => [trial.id, trial])));
  const pathsOf = ({ id, files }: Trial) => files.map((file) => `${file}?mutant=${id}`);
  const tested = [...new Set(trials.flatMap(({ files }) => files))];
  const controls = trials.length === 1 ? [] : tested.map((file) => `${file}?mutant=none`);
  const modules = await vitest.run([...trials.flatMap(pathsOf), ...controls]);
  const isBroken = controls.some((path) => modules.get(path)?.state() === "failed");
  const endless = trials.findIndex((trial) => pathsOf(trial).some((path) => !modules.has(path)));
  if (isBroken) {
    const half = Math.ceil(trials.length / 2);
    const verdicts = await judge(vitest, trials.slice(0, half));
    return new Map([...verdicts, ...(await judge(vitest, trials.slice(half)))]);
  }
  const isKilled = (trial: Trial) =>
    pathsOf(trial).some((path) => modules.get(path)?.state() === "failed");
  const verdicts = new Map(
    (endless === -1 ? trials : trials.slice(0, endless)).map((trial): [string, Verdict] => [
      trial.id,
      trial.files.length === 0 ? "not executed" : isKilled(trial) ? "killed" : "survived",
    ]),
  );
  const [culprit, ...rest] = endless === -1 ? [] : trials.slice(endless);
  if (culprit !== undefined) {
    verdicts.set(culprit.id, "timed out");
  }
  return rest.length === 0 ? verdicts : new Map([...verdicts, ...(await judge(vitest, rest))]);
}

const testsOf = (part: string) =>
  (parts[part]?.tests ?? [])
    .flatMap((pattern) => globSync(pattern).sort())
    .map((file) => resolve(file));

const partOf = new Map(
  values.part.flatMap((part) =>
    globSync(parts[part]?.sources ?? []).map((file) => [file, part] as const),
  ),
);
const { mutants, code } = await instrument([...partOf.keys()]);
const size = values.sample === undefined ? mutants.length : Number(values.sample);
const chosen = sampleOf(mutants, size, Number(values.seed));

/** Text on one line. */
const brief = (text: string) => {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 97)}...` : line;
};
const lineOf = ({ file, line, original, replacement }: Mutant) =>
  `${file}:${line}: ${brief(original)}  ->  ${brief(replacement)}`;

if (values.list) {
  console.log(chosen.map(lineOf).join("\n"));
} else {
  const vitest = await start(code);
  const trials = await trialsOf(vitest, chosen, partOf);
  // Mutants that need modules to be loaded again come last.
  trials.sort((one, other) => Number(one.isStatic) - Number(other.isStatic));
  const begin = performance.now();
  const verdicts = new Map<string, Verdict>();
  for (let at = 0; at < trials.length; at += batchSize) {
    for (const [id, verdict] of await judge(vitest, trials.slice(at, at + batchSize))) {
      verdicts.set(id, verdict);
    }
    const seconds = (performance.now() - begin) / 1000;
    console.error(`${verdicts.size} of ${trials.length} mutants in ${Math.round(seconds)} s`);
  }
  await vitest.close();
  const isKilled = ({ id }: Mutant) => /killed|timed out/.test(verdicts.get(id) ?? "");
  const table = Object.groupBy(trials, ({ file }) => file);
  console.table(
    Object.fromEntries(
      Object.entries(table).map(([file, all = []]) => {
        const killed = all.filter(isKilled).length;
        return [file, { mutants: all.length, killed, survived: all.length - killed }];
      }),
    ),
  );
  for (const trial of trials.filter((one) => !isKilled(one))) {
    console.log(`${verdicts.get(trial.id)}: ${lineOf(trial)}`);
  }
  const percentage = (100 * trials.filter(isKilled).length) / trials.length;
  console.log(`The tests kill ${percentage.toFixed(1)} % of ${trials.length} mutants.`);
  process.exitCode = percentage >= Number(values.minimum) ? 0 : 1;
}
