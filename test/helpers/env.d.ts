declare module "vitest" {
  /** What the global setup tells the tests. */
  export interface ProvidedContext {
    endpoint: string;
    connectionString: string;
  }
}

export {};
