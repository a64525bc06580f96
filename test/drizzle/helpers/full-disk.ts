import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Preloaded into a command: every write by PGlite fails as if the disk were full. */
fs.writeSync = () => {
  const message = "ENOSPC: no space left on device, write";
  throw Object.assign(new Error(message), { code: "ENOSPC", errno: -28, syscall: "write" });
};
syncBuiltinESMExports();
