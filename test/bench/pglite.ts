import { workerSource } from "./bundle.ts";
import { startDatabaseProcess } from "./database-process.ts";
import { sizes } from "./databases.ts";
import { figure } from "./measure.ts";
import { send } from "./requests.ts";
import { digits, type Row } from "./row.ts";
import { list, type Scene } from "./scene.ts";
import { startWorkerd } from "./workerd.ts";

/** The lists on PGlite, as in local development: for information. */
export async function pgliteRows(scene: Scene): Promise<Row[]> {
  const server = await startDatabaseProcess({ inventory: sizes.pglite });
  const worker = await startWorkerd(workerSource(scene.bundle, server));
  try {
    const rows: Row[] = [];
    for (const path of ["bindings", "credentials", "bindings?limit=0"]) {
      const times: number[] = [];
      for (let sample = 0; sample < (scene.isQuick ? 10 : 30); sample++) {
        times.push((await send(worker.origin, list(path))).totalMs);
      }
      const { median, spread } = figure(times);
      rows.push({
        what: `PGlite with ${sizes.pglite.bindings.toLocaleString("en")} bindings: ${path}`,
        ours: `${digits(median)} ms`,
        value: median,
        unit: "ms",
        spread,
      });
    }
    return rows;
  } finally {
    await worker.stop();
    await server.stop();
  }
}
