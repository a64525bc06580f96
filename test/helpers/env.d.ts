declare module "vitest" {
  /** What the global setup tells the tests. */
  export interface ProvidedContext {
    endpoint: string;
    connectionString: string;
    /** Whether the database is a real Postgres, with more than one connection. */
    isRealPostgres: boolean;
    /** How many rounds a race has: see `runRace`. */
    raceRounds: number;
    /** See `FreshDatabases`. */
    freshDatabases: string;
    /** See `DaemonFarm`. */
    daemonFarm: string;
    refusingDaemon: string;
    /** Takes what was provoked: see `startContractRecorder`. */
    contractRecorder: string;
  }
}

export {};
