import { neon, neonConfig } from "@neondatabase/serverless";

interface Environment {
  DATABASE_URL: string;
  LOCAL_DATABASE_ENDPOINT: string;
}

/** The least that a Worker can ask of its database, through the same driver: what the bench compares with. */
const worker = {
  async fetch(_: Request, environment: Environment): Promise<Response> {
    neonConfig.fetchEndpoint = environment.LOCAL_DATABASE_ENDPOINT;
    return Response.json(await neon(environment.DATABASE_URL)`select 1`);
  },
};

// The Workers runtime insists on a default export.
export default worker;
