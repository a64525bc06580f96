import { parseSealingKeys } from "../../src/env.ts";
import { printNewKey } from "./new-key.ts";

await printNewKey({
  command: "sealing-key",
  variable: "SEALING_KEYS",
  create: () => crypto.getRandomValues(new Uint8Array(32)),
  parse: parseSealingKeys,
});
