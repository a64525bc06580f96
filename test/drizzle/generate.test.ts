import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import { changeKinds } from "../../drizzle/generate/changes.ts";
import { historyFunctions, historyRules } from "../../drizzle/generate/history.ts";
import { partRules } from "../../drizzle/generate/parts.ts";
import { auditFunction, missing, recordRules } from "../../drizzle/generate/records.ts";
import { reviseFunction } from "../../drizzle/generate/revisions.ts";
import { lines, literal, snakeCase } from "../../drizzle/generate/text.ts";
import { records } from "../../drizzle/records.ts";
import { onHost, versioned } from "../../src/database/tables/history.ts";
import { hosts, ports, tags } from "../../src/database/tables/index.ts";
import { type Kind, kind, kinds } from "../../src/database/tables/kinds.ts";

/** The table of ports with an additional column. */
const labelledPorts = pgTable("ports", {
  ...versioned(),
  ...onHost(),
  number: integer().notNull(),
  protocol: text().notNull(),
  nickname: text(),
});

const declared = (more: Partial<Kind> = {}): Kind => ({
  ...kinds.Port,
  table: labelledPorts,
  ...more,
});

/** The columns that a trigger's condition compares, one list per comparison. */
const comparedBy = (trigger: string, rules: string) => {
  const statement = rules.split(";\n").find((one) => one.includes(`create trigger ${trigger} `));
  return [...(statement ?? "").matchAll(/\(\n([^()]*)\n *\) is (?:not )?distinct from/g)].map(
    ([, columns = ""]) => [...columns.matchAll(/new\.(\w+)/g)].map(([, name]) => name),
  );
};

describe("a new column of a kind with history", () => {
  it("increments the revision and starts a new version", () => {
    const rules = historyRules(declared());
    const [unchanged, changed] = comparedBy("history_2_change", rules);
    expect(unchanged).toContain("nickname");
    expect(changed).toContain("nickname");
    expect(comparedBy("history_3_version", rules)).toEqual([
      ["network_id", "host_id", "number", "protocol", "nickname"],
    ]);
  });

  it("is copied to closed versions with its value", () => {
    const [keepVersion, keepDeleted] = historyFunctions(declared());
    expect(keepVersion?.text).toMatch(/protocol, nickname\)[^)]*old\.protocol, old\.nickname\);/s);
    expect(keepDeleted?.text).toMatch(/protocol, nickname\)[^)]*gone\.protocol, gone\.nickname\n/s);
  });

  it("is a field of changes", () => {
    expect(changeKinds({ ...kinds, Port: declared() }).text).toContain(
      "'version.host_id, version.number, version.protocol, version.nickname'",
    );
  });
});

it("changing an unversioned column increments the revision but does not start a new version", () => {
  const rules = historyRules(declared({ unversioned: ["nickname"] }));
  const [unchanged, changed] = comparedBy("history_2_change", rules);
  expect([unchanged, changed]).toEqual([
    expect.arrayContaining(["nickname"]),
    expect.arrayContaining(["nickname"]),
  ]);
  expect(comparedBy("history_3_version", rules).flat()).not.toContain("nickname");
});

it("changing a silent column does not increment the revision, but the column is copied to versions", () => {
  const silent = declared({ silent: ["nickname"] });
  const [unchanged, changed] = comparedBy("history_2_change", historyRules(silent));
  expect(unchanged).toContain("nickname");
  expect(changed).not.toContain("nickname");
  expect(historyFunctions(silent)[0]?.text).toContain("old.nickname");
});

it("generated columns are neither compared nor copied", () => {
  expect(historyRules(kinds.Port)).not.toMatch(/live_id|live_host_id|current_id/);
  for (const { text: body } of historyFunctions(kinds.Port)) {
    expect(body).not.toMatch(/live_id|live_host_id|current_id/);
  }
});

it("a part is completed again when its host changes, its network changes, or a column that determines another column changes", () => {
  const compared = Object.values(kinds).map((of) => comparedBy("complete_changed", partRules(of)));
  expect(Object.fromEntries(Object.keys(kinds).map((name, i) => [name, compared[i]]))).toEqual({
    Binding: [["host_id", "network_id", "service_id"]],
    Host: [],
    IPAddress: [["host_id", "network_id"]],
    Interface: [["host_id", "network_id"]],
    Neighbor: [["host_id", "network_id", "interface_id"]],
    Port: [["host_id", "network_id"]],
    Service: [["host_id", "network_id", "name", "service_definition"]],
    Subnet: [],
  });
});

it("a declaration with an unknown column does not compile", () => {
  // @ts-expect-error: ports do not have this column.
  kind(ports, { parent: "host_id", key: ["nothing"] });
  // @ts-expect-error: ports do not have this column.
  kind(ports, { parent: "host_id", key: ["number"], unversioned: ["nothing"] });
  // @ts-expect-error: hosts do not have a column that references a host.
  kind(hosts, { parent: "host_id", key: ["live_id"] });
  expect(kind(ports, { parent: "host_id", key: ["number"] })).toMatchObject({ table: ports });
});

it("a record without history gets a new revision if a column that is not silent changes, or if no column changes", () => {
  const [changed, silent] = comparedBy("touch", recordRules("Webhook", records.Webhook));
  expect(changed).toEqual([
    "name",
    "url",
    "entities",
    "changes",
    "network_ids",
    "disabled_reason",
    "secret_hint",
  ]);
  expect(silent).toEqual(records.Webhook.silent);
});

it("the audit log compares exactly the columns for which its trigger fires", () => {
  for (const [entity, record] of Object.entries(records)) {
    const [columns = ""] =
      recordRules(entity, record).match(/(?<=after update of )[\w, ]+(?= on)/) ?? [];
    const [audit = { text: "" }] = auditFunction(entity, record);
    const compared = [...audit.text.matchAll(/\bold\.(\w+)/g)].map(([, name]) => name);
    expect(new Set(columns.split(", ")), entity).toEqual(
      new Set(compared.length > 0 ? compared : [""]),
    );
  }
});

it("only kinds with history are limited to live records", () => {
  const { text: body } = missing([
    ["Host", { table: hosts }],
    ["Tag", { table: tags }],
  ]);
  expect(body).toMatch(/public\.hosts as record\n +where .* record\.valid_to is null limit 1/);
  expect(body).toMatch(/public\.tags as record where record\.id = wanted\.id limit 1/);
});

it("only owners whose members have versions compare the members' revisions", () => {
  const of = (hasVersionedMembers: boolean) =>
    reviseFunction({ table: hosts, column: "host_id", hasVersionedMembers }).text;
  expect(of(true)).toContain("changed.revision <> former.revision");
  expect(of(false)).not.toContain("former");
});

it("converts names, literals and lists to SQL", () => {
  expect(["ApiKey", "IPAddress", "Host"].map(snakeCase)).toEqual(["api_key", "ip_address", "host"]);
  expect(literal("an organization's")).toBe("'an organization''s'");
  expect(lines(["a".repeat(60), "b".repeat(60), "c"], "  ")).toBe(
    `  ${"a".repeat(60)},\n  ${"b".repeat(60)}, c`,
  );
});
