declare module "vitest" {
  /** What the global setup tells the tests. */
  export interface ProvidedContext {
    /** Whether this is `npm run test:long`. */
    isLong: boolean;
    /** Whether the database is a real Postgres, with more than one connection. */
    isRealPostgres: boolean;
    /** How many rounds a race has: see `describeRace`. */
    raceRounds: number;
    /** Of races that can go on for a time instead, how many seconds; 0 for rounds. */
    raceSeconds: number;
    /** How many hosts are walked over, and how many records a page has. */
    walks: { hosts: number; limit: number };
    /** The seeds of the model's walks, and how many steps each seed has: see `test/model`. */
    model: { seeds: string[]; steps: number };
    /** See `TestDatabases`. */
    databases: string;
    /** See `DaemonFarm`. */
    daemonFarm: string;
    refusingDaemon: string;
    /** Takes what was provoked: see `startContractRecorder`. */
    contractRecorder: string;
  }
}

declare global {
  namespace Cloudflare {
    /** What vitest.config.ts binds, as far as tests read it. */
    interface Env {
      readonly DATABASE_URL: string;
      readonly LOCAL_DATABASE_ENDPOINT: string;
    }
  }
}

export {};
