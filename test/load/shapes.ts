/** The maximum size of a body that the service reads, in bytes. */
export const maxBodyBytes = 1_048_576;

/** A hostile body of exactly {@link maxBodyBytes}, and the target of the request. */
export interface Shape {
  name: string;
  to: "credential" | "organization" | "host";
  body: Buffer;
  /**
   * True if the body is valid: the response is then 200, or 503 if the request had to wait too long
   * for other requests.
   */
  isLegal?: boolean;
}

/** Pads JSON with spaces, which every parser has to read. */
function padded(text: string): Buffer {
  const body = Buffer.alloc(maxBodyBytes, " ");
  if (Buffer.byteLength(text) > maxBodyBytes) {
    throw new Error("The text is larger than the largest body.");
  }
  body.write(text);
  return body;
}

/** Repeats a piece until the head, the pieces and the tail fill a body. */
function filled(head: string, piece: (index: number) => string, tail: string, count = Infinity) {
  const pieces: string[] = [];
  let bytes = Buffer.byteLength(head) + Buffer.byteLength(tail);
  for (let index = 0; index < count; index++) {
    const next = piece(index);
    bytes += Buffer.byteLength(next) + 1;
    if (bytes > maxBodyBytes) {
      break;
    }
    pieces.push(next);
  }
  return padded(head + pieces.join(",") + tail);
}

const nested = (open: string, close: string) => {
  const depth = Math.floor(maxBodyBytes / (open.length + close.length)) - 1;
  return padded(open.repeat(depth) + close.repeat(depth));
};

const assignment = (addresses: number) =>
  `{"ip_address_ids":[${Array.from({ length: addresses }, () => "0").join(",")}]}`;

/**
 * The most expensive bodies, valid or not.
 * @param valid the body of a successful update to a credential
 * @param validHost the body of a successful update to a host
 */
export function shapes(
  valid: Readonly<Record<string, unknown>>,
  validHost: Readonly<Record<string, unknown>>,
): Shape[] {
  const credential = (name: string, body: Buffer): Shape => ({ name, to: "credential", body });
  const changed = (change: Readonly<Record<string, unknown>>) =>
    JSON.stringify({ ...valid, ...change });
  /** A valid update with one string that is so long that the body has the maximum size. */
  const withText = (text: (length: number) => string, change: (text: string) => object) => {
    const room = maxBodyBytes - Buffer.byteLength(JSON.stringify({ ...valid, ...change("") }));
    return padded(JSON.stringify({ ...valid, ...change(text(room)) }));
  };
  const proxy = (field: string, value: string) => ({
    credential_type: { type: "DockerProxy", [field]: { mode: "Inline", value } },
  });
  return [
    credential(
      "sets of bad ids within a set",
      filled('{"host_assignments":[', () => assignment(500), "]}"),
    ),
    credential(
      "a set of bad ids",
      filled('{"tags":[', () => "0", "]}"),
    ),
    credential(
      "unknown fields",
      filled("{", (index) => `"${index.toString(36)}":0`, "}"),
    ),
    credential("nested arrays", nested("[", "]")),
    credential("nested arrays as the id", nested('{"id":[[[[[[[[[[[[[[[[', "]]]]]]]]]]]]]]]]}")),
    credential("nested objects", nested('{"a":', "}").fill("0", 524_288, 524_289)),
    credential(
      "empty objects",
      filled("[", () => "{}", "]"),
    ),
    credential(
      "objects with different fields",
      filled("[", (index) => `{"${index.toString(36)}":0}`, "]"),
    ),
    ...[1000, 4500, 9900].flatMap((count) => [
      credential(
        `${count} bad ids in a set`,
        filled('{"tags":[', () => '"x"', "]}", count),
      ),
      credential(
        `${count} bad assignments`,
        filled('{"host_assignments":[', () => "0", "]}", count),
      ),
      credential(
        `${count} unknown fields with long names`,
        filled(
          "{",
          (index) => `"${"\u0001".repeat(80)}${index}":0`.replaceAll("\u0001", "\\u0001"),
          "}",
          count,
        ),
      ),
    ]),
    credential(
      "3,000 assignments with an unknown field",
      filled('{"host_assignments":[', () => '{"a":0,"b":0}', "]}", 3000),
    ),
    credential(
      "a long name",
      withText(
        (length) => "n".repeat(length),
        (name) => ({ name }),
      ),
    ),
    credential(
      "a name that consists of blanks",
      withText(
        (length) => " ".repeat(length),
        (name) => ({ name }),
      ),
    ),
    credential(
      "a valid name after blanks",
      withText(
        (length) => `${" ".repeat(length - 20)}Backbone switches 01`,
        (name) => ({ name }),
      ),
    ),
    credential(
      "a name that consists of emoji",
      withText(
        (length) => "🦆".repeat(length / 4),
        (name) => ({ name }),
      ),
    ),
    credential(
      "a long secret",
      withText(
        (length) => "s".repeat(length),
        (value) => ({ credential_type: { type: "SnmpV1", community: { mode: "Inline", value } } }),
      ),
    ),
    credential(
      "a long secret with one two-byte character",
      withText(
        (length) => `${"s".repeat(length - 2)}é`,
        (value) => ({ credential_type: { type: "SnmpV1", community: { mode: "Inline", value } } }),
      ),
    ),
    credential(
      "a long path",
      withText(
        (length) => "p".repeat(length),
        (path) => ({ credential_type: { type: "DockerProxy", path } }),
      ),
    ),
    credential(
      "PEM that never ends",
      withText(
        (length) => "-----BEGIN CERTIFICATE----- ".padEnd(length, "A"),
        (value) => proxy("ssl_cert", value),
      ),
    ),
    credential(
      "PEM with many END lines",
      withText(
        (length) => "-----END A----- ".repeat(length / 16),
        (value) => proxy("ssl_chain", value),
      ),
    ),
    credential(
      "PEM with many blanks",
      withText(
        (length) => `-----END A-----${" ".repeat(length - 16)}x`,
        (value) => proxy("ssl_key", value),
      ),
    ),
    credential(
      "a long string in an ignored field",
      withText(
        (length) => "c".repeat(length),
        (created_at) => ({ created_at }),
      ),
    ),
    credential("a valid body padded with blanks", padded(changed({}))),
    credential("a number with many digits", padded(`{"id":1${"0".repeat(maxBodyBytes - 8)}}`)),
    credential("a string that does not end", padded('"').fill("a", 1)),
    credential("bytes that are not UTF-8", padded('"').fill(0xff, 1)),
    {
      name: "a long organization name",
      to: "organization",
      body: padded(`"${"n".repeat(maxBodyBytes - 2)}"`),
    },
    {
      name: "escapes",
      to: "organization",
      body: padded(`"${"\\u0000".repeat((maxBodyBytes - 2) / 6)}"`),
    },
    { name: "blanks", to: "organization", body: padded("") },
    ...hostShapes(validHost),
  ];
}

/** The maximum number of members in the body of a host, and of children of one kind. */
const [maxMembers, maxChildren] = [40_000, 1000];

/** Bodies that reach or exceed one of the limits for a host with its children. */
function hostShapes(valid: Readonly<Record<string, unknown>>): Shape[] {
  const host = (name: string, body: Buffer, isLegal = false): Shape => ({
    name: `host: ${name}`,
    to: "host",
    body,
    isLegal,
  });
  const perService = Math.floor(maxMembers / maxChildren) - 4;
  const inServices = (name: string, service: (index: number) => string) =>
    host(
      name,
      filled(`${JSON.stringify(valid).slice(0, -1)},"services":[`, service, "]}", maxChildren),
    );
  const many = (member: (at: number) => string, count = perService) =>
    Array.from({ length: count }, (_, at) => member(at)).join(",");
  /** A child as a read returns it, including all fields that an update ignores. */
  const read = (own: string, index: number) =>
    `{"id":"00000000-0000-4000-8000-${String(index).padStart(12, "0")}",${[
      "created_at",
      "updated_at",
      "last_seen_at",
      "valid_from",
    ]
      .map((name) => `"${name}":"2026-04-22T15:57:37.843Z"`)
      .join()},"valid_to":null,"lineage_id":null,"first_discovery_id":null,"last_discovery_id":null,${own}}`;
  const ports = (count: number) =>
    many((at) => read(`"number":${at + 1},"protocol":"Tcp"`, at), count);
  return [
    host(
      "too many members",
      filled('{"services":[', () => `{"tags":[${many(() => "0", 1000)}]}`, "]}"),
    ),
    inServices("services with sets of bad ids", () => `{"tags":[${many(() => "0")}]}`),
    inServices("services with bad bindings", () => `{"bindings":[${many(() => "0")}]}`),
    inServices("services with unknown fields", () => `{${many((at) => `"${at.toString(36)}":0`)}}`),
    inServices(
      "services with the maximum number of issues",
      (index) => `{"name":0,"tags":0,"position":"x","bindings":0,"virtualization":0,"x${index}":0}`,
    ),
    host(
      "1,000 ports as a read returns them",
      padded(`${JSON.stringify(valid).slice(0, -1)},"ports":[${ports(maxChildren)}]}`),
      true,
    ),
    host(
      "1,000 ports and 1,000 addresses as a read returns them",
      padded(
        `${JSON.stringify(valid).slice(0, -1)},"ports":[${ports(maxChildren)}],"ip_addresses":[${many(
          (at) => read(`"ip_address":"10.1.${at >> 8}.${at & 255}"`, 2000 + at),
          maxChildren,
        )}]}`,
      ),
      true,
    ),
  ];
}
