declare module "vitest" {
  /** Values that the global setup provides to the tests. */
  export interface ProvidedContext {
    /** True for `npm run test:long`. */
    isLong: boolean;
    /** True if the database is a real Postgres, with more than one connection. */
    isRealPostgres: boolean;
    /** The number of rounds in a race: see `describeRace`. */
    raceRounds: number;
    /**
     * The duration, in seconds, of races that can be limited by time instead of by rounds; 0 to
     * limit them by rounds.
     */
    raceSeconds: number;
    /** The number of hosts in walks, and the number of records per page. */
    walks: { hosts: number; limit: number };
    /** The seeds of the model's walks, and the number of steps per seed: see `test/model`. */
    model: { seeds: string[]; steps: number };
    /** See `TestDatabases`. */
    databases: string;
    /** See `DaemonFarm`. */
    daemonFarm: string;
    refusingDaemon: string;
    /** Receives the responses that the tests provoke: see `startContractRecorder`. */
    contractRecorder: string;
  }
}

declare global {
  namespace Cloudflare {
    /** The bindings in vitest.config.ts that tests read. */
    interface Env {
      readonly DATABASE_URL: string;
      readonly LOCAL_DATABASE_ENDPOINT: string;
      readonly AGENDA: import("../../src/env.ts").AgendaNamespace;
      readonly CHANGE_SIGNAL: import("../../src/env.ts").ChangeSignals;
    }
  }
}

export {};
