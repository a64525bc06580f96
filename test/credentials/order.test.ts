import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { credentialsIn, settingsOfTypes } from "../helpers/credentials.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";

const fields = ["created_at", "updated_at", "name", "type"] as const;
type Field = (typeof fields)[number];
type Row = Record<Field, string> & { id: string };

/**
 * Names whose order depends on the language, on case sensitivity, and on whether UTF-16 code units
 * or code points are compared.
 */
const names = [
  "alpha",
  "Alpha",
  "Zulu",
  "zulu",
  "Ärger",
  "éclair",
  "eclair",
  "Ａ",
  "🔑",
  "10",
  "9",
];
const types = ["SnmpV2c", "DockerSocket", "SnmpV1", "DockerProxy", "SnmpV3"];
const times = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.001Z", "2025-12-31T23:59:59.999Z"];

/** Rows in which every field has ties, and no two fields produce the same order. */
const rows: Omit<Row, "id">[] = [...names, ...names].map((name, position) => ({
  name,
  type: types[position % types.length] ?? "",
  created_at: times[position % times.length] ?? "",
  updated_at: times[(position * 2 + 1) % times.length] ?? "",
}));

function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (const [position, character] of left.entries()) {
    const difference =
      (character.codePointAt(0) ?? 0) -
      (right[position]?.codePointAt(0) ?? Number.NEGATIVE_INFINITY);
    if (difference !== 0) {
      return difference;
    }
  }
  return left.length - right.length;
}

/** The ids in the contract's order: by group, then by the field in its direction, then by id. */
function ordered(all: Row[], group: Field | null, field: Field, descending: boolean): string[] {
  return all
    .toSorted(
      (a, b) =>
        (group === null ? 0 : byCodePoint(a[group], b[group])) ||
        byCodePoint(a[field], b[field]) * (descending ? -1 : 1) ||
        byCodePoint(a.id, b.id),
    )
    .map(({ id }) => id);
}

test.each([null, ...fields])(
  "grouped by %s, lists are sorted in every order and direction",
  async (group) => {
    const api = openApi();
    const { id: organization_id, keys } = await mintOrganization();
    const all: Row[] = [];
    for (const row of rows) {
      const { type, ...values } = row;
      const settings = { ...Object.values(settingsOfTypes).find((it) => it.type === type), type };
      const id = await mintCredential(organization_id, { ...values, settings });
      all.push({ ...row, id });
    }
    const listed: Record<string, string[]> = {};
    const expected: Record<string, string[]> = {};
    for (const field of [null, ...fields]) {
      for (const direction of [null, "asc", "desc"]) {
        const query = new URLSearchParams({
          ...(group && { group_by: group }),
          ...(field && { order_by: field }),
          ...(direction && { order_direction: direction }),
        });
        const path = `/api/v1/credentials?${query}`;
        const list = credentialsIn(await api.send("GET", path, { key: keys.viewer }));
        listed[path] = list.map(({ id }) => id);
        expected[path] = ordered(all, group, field ?? "created_at", direction === "desc");
      }
    }
    expect(listed).toEqual(expected);
  },
);
