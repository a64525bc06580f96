import { compile } from "zod/v4/core";
import { credentialUpdateSchema } from "../../src/credentials/input.ts";

const compiled = compile(credentialUpdateSchema);

/** Validates the body so many times, by the schema as it is or compiled, and says that it is valid. */
const worker = {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const body: unknown = await request.json();
    const schema = pathname === "/compiled" ? compiled : credentialUpdateSchema;
    for (let times = Number(searchParams.get("times")); times > 0; times--) {
      schema.parse(body);
    }
    return new Response("valid");
  },
};

// The Workers runtime insists on a default export.
export default worker;
