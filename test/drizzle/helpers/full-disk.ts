import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Preloaded into a command: the disk is full for what PGlite writes. */
fs.writeSync = () => {
  const message = "ENOSPC: no space left on device, write";
  throw Object.assign(new Error(message), { code: "ENOSPC", errno: -28, syscall: "write" });
};
syncBuiltinESMExports();
