/** Listens on a TCP port and says nothing of use: run as a program, with the port. */
import { createServer } from "node:http";

const [, , port] = process.argv;

createServer((_request, response) => response.end("laboratory\n")).listen(Number(port));
