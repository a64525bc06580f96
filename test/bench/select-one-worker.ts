import { neon, neonConfig } from "@neondatabase/serverless";

interface Environment {
  DATABASE_URL: string;
  LOCAL_DATABASE_ENDPOINT: string;
}

/** The bench's reference: a Worker that runs the minimal statement through the same driver. */
const worker = {
  async fetch(_: Request, environment: Environment): Promise<Response> {
    neonConfig.fetchEndpoint = environment.LOCAL_DATABASE_ENDPOINT;
    return Response.json(await neon(environment.DATABASE_URL)`select 1`);
  },
};

// The Workers runtime requires a default export.
export default worker;
