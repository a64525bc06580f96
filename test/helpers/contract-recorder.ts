import { createServer } from "node:http";
import type { TestProject } from "vitest/node";
import document from "../../src/docs/assets/openapi.json" with { type: "json" };

/** Every status of every operation that the OpenAPI document declares. */
const declared = Object.values(document.paths).flatMap((operations) =>
  Object.values(operations).flatMap(({ operationId, responses }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`),
  ),
);

/**
 * Collects the responses that the tests provoke. At the end of a complete run, fails the run if any
 * response declared in the OpenAPI document was never returned.
 */
export async function startContractRecorder(project: TestProject) {
  const provoked = new Set<string>();
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    provoked.add(Buffer.concat(chunks).toString());
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    address: `http://127.0.0.1:${port}`,
    async finish(): Promise<void> {
      server.close();
      const { testFiles } = await project.globTestFiles();
      const { vitest } = project;
      const run = vitest.state.getFiles().filter((file) => file.projectName === project.name);
      // `npm test` alone must trigger every response; the long tests do not count.
      const isWhole =
        !project.config.provide.isLong &&
        run.length === testFiles.length &&
        !vitest.getGlobalTestNamePattern();
      const missing = declared.filter((answer) => !provoked.has(answer));
      if (isWhole && missing.length > 0) {
        console.error(
          `The OpenAPI document declares answers that no test provokes: ${missing.join(", ")}.`,
        );
        process.exitCode = 1;
      }
    },
  };
}
