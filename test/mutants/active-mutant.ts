import { afterAll, beforeAll, beforeEach, expect, inject, onTestFailed } from "vitest";

/**
 * A setup file for test files in the Worker. It activates the mutant that the query of a file's
 * path names; without one, it records which mutants the file executes.
 */

/** How a mutant is tested. */
export interface Activation {
  /** The path of the changed source. */
  source: string;
  /** True if it is executed while modules are loaded. */
  isStatic: boolean;
  /** If a file executes it more often than this, it has probably made a loop endless. */
  hitLimit: number;
}

/** How often mutants are executed, by id. */
export interface Coverage {
  /** While modules are loaded. */
  static: Record<string, number>;
  /** By the path of the test file. */
  perTest: Record<string, Record<string, number>>;
}

/** Instrumented code uses the properties up to `mutantCoverage`: see Stryker's instrumenter. */
interface Switches {
  activeMutant?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: Coverage;
  /** Mutants for which a test has failed: no other test is run with them. */
  killed?: Set<string>;
  /** Test files in which a test has failed. */
  failed?: Set<string>;
  /** The source of the last mutant, if loaded modules may contain what it computed. */
  stale?: string | undefined;
}

declare module "vitest" {
  export interface ProvidedContext {
    mutants: Record<string, Activation>;
  }
  export interface TaskMeta {
    coverage?: Coverage | undefined;
  }
}

/** The part of Vite's `EvaluatedModules` that is needed to load modules again. */
interface Modules {
  getModuleById(id: string): { importers: ReadonlySet<string> } | undefined;
  invalidateModule(module: object): void;
}

declare global {
  var __stryker__: Switches | undefined;
  /** Vitest's: `vi.resetModules` would load all modules again, which takes seconds. */
  var __vitest_worker__: { evaluatedModules: Modules };
}

/** Lets a module, and those that import it, be loaded again. */
function unload(id: string): void {
  const { evaluatedModules } = globalThis.__vitest_worker__;
  const module = evaluatedModules.getModuleById(id);
  if (module !== undefined) {
    const importers = [...module.importers];
    evaluatedModules.invalidateModule(module);
    importers.forEach(unload);
  }
}

globalThis.__stryker__ ??= {};
const switches = globalThis.__stryker__;
switches.killed ??= new Set();
switches.failed ??= new Set();
const { killed, failed } = switches;
const [file = "", mutant] = (expect.getState().testPath ?? "").split("?mutant=");
const activation = inject("mutants")[mutant ?? ""];

switches.activeMutant = mutant;
switches.hitCount = activation && 0;
switches.hitLimit = activation?.hitLimit;
switches.currentTestId = undefined;

if (mutant === undefined) {
  // Executions before the first hook are those of modules that are loaded.
  beforeAll(() => {
    switches.currentTestId = file;
  });
  // biome-ignore lint/correctness/noEmptyPattern: Vitest requires a pattern.
  afterAll(({}, suite) => {
    suite.meta.coverage = switches.mutantCoverage;
    switches.currentTestId = undefined;
  });
} else {
  if (killed.has(mutant)) {
    throw new Error("A test in another file has failed.");
  }
  const source = activation?.isStatic ? activation.source : undefined;
  for (const stale of [switches.stale, source]) {
    if (stale !== undefined) {
      unload(stale);
    }
  }
  switches.stale = source;
  // Without a mutant, only files in which tests have failed are of interest.
  const isSkipped = activation === undefined && !failed.has(file);
  beforeEach(({ skip }) => {
    if (isSkipped || killed.has(mutant)) {
      skip();
    }
    onTestFailed(() => {
      killed.add(mutant);
      failed.add(file);
    });
  });
}
