/**
 * Listens on a TCP port and sends a meaningless response. Runs as a program that takes the port as
 * its argument.
 */
import { createServer } from "node:http";

const [, , port] = process.argv;

createServer((_request, response) => response.end("laboratory\n")).listen(Number(port));
