import { bundle } from "./bundle.ts";
import { compare } from "./measure.ts";
import { cpuMs } from "./process.ts";
import { send } from "./requests.ts";
import { atMost, digits, type Row } from "./row.ts";
import type { Scene } from "./scene.ts";
import { startWorkerd } from "./workerd.ts";

const ids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());

/** The body of an update with so many members in each set. */
const credential = (members: number) => ({
  name: "Core switches",
  organization_id: crypto.randomUUID(),
  tags: ids(members),
  assigned_network_ids: ids(members),
  host_assignments: ids(members).map((host_id) => ({ host_id, ip_address_ids: ids(2) })),
  credential_type: {
    type: "SnmpV3",
    security_name: "monitor",
    auth_protocol: "Sha256",
    auth_password: { mode: "Inline", value: "correct horse" },
    priv_protocol: "Aes256",
    priv_password: { mode: "Inline", value: "battery staple" },
    context_name: null,
  },
});

/** Validation of a credential inside workerd, compiled, against the schema as it is. */
export async function validationRows(scene: Scene): Promise<Row[]> {
  const worker = await startWorkerd({
    modules: { "entry.js": bundle("test/bench/validation-worker.ts").script },
  });
  try {
    const rows: Row[] = [];
    for (const [members, times] of [
      [3, 200_000],
      [100, 10_000],
    ] as const) {
      const json = credential(members);
      const cpuPerTime = (path: string) => async () => {
        const before = cpuMs(worker.pid);
        const repeated = scene.isQuick ? times / 4 : times;
        await send(worker.origin, { method: "PUT", path: `${path}?times=${repeated}`, json });
        return ((cpuMs(worker.pid) - before) * 1000) / repeated;
      };
      const found = await compare(scene.rounds, cpuPerTime("/compiled"), cpuPerTime("/plain"));
      rows.push({
        what: `validation of a credential PUT inside workerd, sets of ${members}, against plain schema.parse`,
        ours: `${digits(found.ours.median)} µs`,
        reference: `${digits(found.reference.median)} µs`,
        value: found.ratio.median,
        unit: "×",
        spread: found.ratio.spread,
        // Of large sets, the ids themselves are what costs.
        ...(members < 10 ? { bound: atMost(0.4) } : {}),
      });
    }
    return rows;
  } finally {
    await worker.stop();
  }
}
