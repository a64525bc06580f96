import { access, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist";
import { type Connections, connectToStream } from "./connections.ts";
import { lockFolder } from "./folder-lock.ts";
import { PgliteConnection } from "./pglite-connection.ts";

const extensions = { btree_gist };

/** An embedded database in memory, gone when it is closed. */
export async function openInMemory(): Promise<Connections> {
  const pglite = await PGlite.create({ extensions });
  return connectionsOf(pglite);
}

/** An embedded database kept in a folder, which it creates and holds exclusively. */
export async function openFolder(folder: string): Promise<Connections> {
  const unlock = await lockFolder(folder);
  try {
    const data = join(folder, "pgdata");
    const complete = join(folder, "complete");
    // A first start that was killed leaves half a database, which would never open again.
    if (!(await exists(complete))) {
      await rm(data, { recursive: true, force: true });
    }
    const pglite = await PGlite.create(data, { extensions });
    await writeFile(complete, "");
    return connectionsOf(pglite, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

function connectionsOf(pglite: PGlite, closed?: () => Promise<void>): Connections {
  const connections = connectToStream(() => new PgliteConnection(pglite));
  return {
    ...connections,
    async close() {
      await connections.close();
      await pglite.close();
      await closed?.();
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
