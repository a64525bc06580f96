import { lockFolder } from "../../../drizzle/local/folder-lock.ts";

/**
 * A process that, on request, locks the folder named in a message and replies with "taken" or the
 * error, or releases the folder.
 */
let unlock: (() => Promise<void>) | undefined;
process.on("message", async (message) => {
  if (message === "give back") {
    await unlock?.();
    unlock = undefined;
    process.send?.("given back");
    return;
  }
  try {
    unlock = await lockFolder(String(message));
    process.send?.("taken");
  } catch (error) {
    process.send?.(String(error));
  }
});
process.once("disconnect", () => process.exit());
process.send?.("ready");
