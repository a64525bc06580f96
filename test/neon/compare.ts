import type { Case } from "./cases.ts";

/** Where requests are sent, and the connection string that they carry. */
export interface Endpoint {
  url: string;
  connectionString: string;
}

/** An answer, without what may differ between two databases. */
export interface Answer {
  status: number;
  body: unknown;
}

/** Fields of an answer whose values are those of one database: OIDs, and lines of Postgres' own source. */
const ofDatabase = new Set(["dataTypeID", "tableID", "line", "file", "routine", "neon:retryable"]);

/** A value without what may differ, and with the names of objects in order. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(normal);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !ofDatabase.has(name))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, field]) => [name, normal(field)]),
  );
}

/** Sends a request. A connection that breaks is an answer with the status 0. */
export async function ask({ url, connectionString }: Endpoint, sent: Case): Promise<Answer> {
  try {
    const response = await fetch(new URL(sent.path ?? url, url), {
      method: sent.method ?? "POST",
      body: sent.body,
      headers: {
        "neon-connection-string": connectionString,
        "neon-raw-text-output": "true",
        "neon-array-mode": "true",
        ...sent.headers,
      },
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    try {
      return { status: response.status, body: normal(JSON.parse(text)) };
    } catch {
      return { status: response.status, body: text };
    }
  } catch {
    return { status: 0, body: null };
  }
}

/** A case to which two endpoints answer differently. */
export interface Difference {
  sent: Case;
  one: Answer;
  other: Answer;
}

/** Sends each case to both endpoints, one after the other, and returns those with different answers. */
export async function compare(
  one: Endpoint,
  other: Endpoint,
  cases: readonly Case[],
): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const sent of cases) {
    const difference = { sent, one: await ask(one, sent), other: await ask(other, sent) };
    if (JSON.stringify(difference.one) !== JSON.stringify(difference.other)) {
      differences.push(difference);
    }
  }
  return differences;
}
