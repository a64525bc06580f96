import { Server } from "node:net";

/** Preloaded into a command: prints a line when the command opens a port. */
const { listen } = Server.prototype;
Server.prototype.listen = function (this: Server, ...options: unknown[]) {
  process.stderr.write("listening\n");
  return Reflect.apply(listen, this, options);
};
