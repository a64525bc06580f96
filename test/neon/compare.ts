import type { Case } from "./cases.ts";

/** The URL of an endpoint, and the connection string for its requests. */
export interface Endpoint {
  url: string;
  connectionString: string;
}

/** A response, without values that may differ between two databases. */
export interface Answer {
  status: number;
  body: unknown;
}

/**
 * Fields whose values differ between databases: OIDs, and line numbers in Postgres' own source
 * code.
 */
const ofDatabase = new Set(["dataTypeID", "tableID", "line", "file", "routine", "neon:retryable"]);

/** Returns a value without these fields, and with object keys sorted. */
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

/** Sends a request. A broken connection is treated as a response with status 0. */
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

/** A case in which two endpoints respond differently. */
export interface Difference {
  sent: Case;
  one: Answer;
  other: Answer;
}

/**
 * Sends each case to both endpoints, one after the other. Returns the cases with different
 * responses.
 */
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
