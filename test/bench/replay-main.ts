import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/**
 * Responds to every request with the content of a given file, like a database that takes no time.
 */
const body = readFileSync(process.argv[2] ?? "");
const server = createServer((request, response) => {
  request.resume();
  request.once("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  });
});
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : undefined });
});
process.once("disconnect", () => process.exit(0));
