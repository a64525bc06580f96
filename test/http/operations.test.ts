import { beforeAll, describe, expect, test, vi } from "vitest";
import { errorCatalogue } from "../../src/errors/errors.ts";
import { bodyPace } from "../../src/http/body/paced-reader.ts";
import { type Role, roles } from "../../src/roles.ts";
import { failed, seen, unauthorized } from "../helpers/answers.ts";
import { type Answer, type Fault, openApi, type RequestOptions } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { fakeLimiter } from "../helpers/limiter.ts";
import {
  bodyOf,
  collectionOf,
  declaredStatuses,
  type Operation,
  operations,
  pathOf,
  perform,
  samples,
} from "../helpers/operations.ts";
import { mintKey } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { routes } from "../helpers/routes.ts";
import { changingNothing } from "../helpers/rows.ts";
import { mintToken } from "../helpers/tokens.ts";

/**
 * The lowest role that may change a collection (API contract, section 2). Every read needs a
 * Viewer, except for reads of `audit`.
 */
const rolesToChange: Readonly<Record<string, Role>> = {
  hosts: "Member",
  "ip-addresses": "Member",
  ports: "Member",
  interfaces: "Member",
  neighbors: "Member",
  services: "Member",
  subnets: "Member",
  bindings: "Member",
  daemons: "Member",
  "discovery/sessions": "Member",
  "tags/assign": "Member",
  "networks/:id/imports": "Member",
  organizations: "Owner",
};

/**
 * Returns the role for the longest of these names with which a collection's path starts. All other
 * collections need an Admin.
 */
const roleToChange = (collection: string) =>
  Object.entries(rolesToChange)
    .filter(([name]) => `${collection}/`.startsWith(`${name}/`))
    .sort(([a], [b]) => b.length - a.length)[0]?.[1] ?? "Admin";

test("these are exactly the operations that do not need a key", () => {
  expect(routes.filter(({ role }) => role === null).map(({ name }) => name)).toEqual([
    "GET /api/health",
    "GET /api/health/ready",
    "GET /api/version",
  ]);
});

test("every sample in test/<resource>/samples.ts belongs to an operation with a body", () => {
  const withBody = operations.filter(({ json }) => json !== undefined).map(({ name }) => name);
  expect(Object.keys(samples).filter((name) => !withBody.includes(name))).toEqual([]);
});

/** Adds an unknown query parameter to a path. */
const withUnknown = (path: string) => `${path}${path.includes("?") ? "&" : "?"}unknown=1`;

/** Sends a request for an operation as the owner, with these invalid parts. */
function sendWith(
  operation: Operation,
  organization: PopulatedOrganization,
  parts: { path?: string; variables?: Record<string, unknown> } & RequestOptions,
  api = openApi(parts.variables),
): Promise<Answer> {
  const { path = pathOf(operation, organization), variables: _, ...options } = parts;
  const json = options.body === undefined ? bodyOf(operation, organization) : undefined;
  return api.send(operation.method, path, { key: organization.keys.owner, json, ...options });
}

type Provocation = (operation: Operation, organization: PopulatedOrganization) => Promise<Answer>;

const against =
  (fault: Fault): Provocation =>
  async (operation, organization) => {
    const api = openApi();
    // If a report conflicts with other changes, its ingestion is retried up to two times.
    await api.disturb({ faults: [fault, fault, fault] });
    return sendWith(operation, organization, {}, api);
  };

const jsonType = { "Content-Type": "application/json" };

/**
 * For each status, a way to make any operation fail. Other failures are tested with their
 * operations.
 */
const provocations: Readonly<Record<number, Provocation>> = {
  400: (operation, organization) => {
    const path = pathOf(operation, organization);
    return sendWith(
      operation,
      organization,
      operation.json
        ? { headers: jsonType, body: "{" }
        : { path: operation.query ? withUnknown(path) : operation.path },
    );
  },
  404: (operation, organization) =>
    sendWith(operation, organization, {
      path: operation.path
        .replace(":id", crypto.randomUUID())
        .replace(":other_id", crypto.randomUUID())
        .replace(":delivery_id", crypto.randomUUID()),
    }),
  406: (operation, organization) =>
    sendWith(operation, organization, { headers: { Accept: "image/png" } }),
  408: async (operation, organization) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const body = new ReadableStream({ type: "bytes", pull: () => new Promise(() => {}) });
      const answer = sendWith(operation, organization, { headers: jsonType, body });
      await vi.waitUntil(() => vi.getTimerCount() > 0);
      vi.advanceTimersByTime(bodyPace.wholeMilliseconds);
      return await answer;
    } finally {
      vi.useRealTimers();
    }
  },
  409: against({ kind: "sqlstate", code: "40001", message: "two changes met" }),
  413: (operation, organization) =>
    sendWith(operation, organization, {
      headers: jsonType,
      body: `"${"a".repeat((operation.path.endsWith("/imports") ? 8 : 1) * 1_048_576)}"`,
    }),
  415: (operation, organization) => sendWith(operation, organization, { body: "text" }),
  429: (operation, organization) =>
    sendWith(operation, organization, {
      variables: { RATE_LIMITS: "on", KEY_RATE_LIMIT: fakeLimiter(0) },
    }),
  500: against({ kind: "sqlstate", code: "42P01", message: "a bug" }),
  503: against({ kind: "refuse" }),
};

/** Consolidating hosts that have credentials needs more than the lowest role of the operation. */
async function removeCredentialsOfMerged({ path }: Operation, { id }: PopulatedOrganization) {
  if (path.includes(":other_id")) {
    await sql`delete from credential_hosts where organization_id = ${id}`;
  }
}

/** Errors about the key, which precede errors about the form of the request. */
const beforeValidation = [401, 403, 409, 429];

/** The organization for all reads, which can share one because they change nothing. */
let ofReads: PopulatedOrganization;

beforeAll(async () => {
  ofReads = await mintPopulatedOrganization();
});

describe.each(operations)("$name", (operation: Operation) => {
  let organization: PopulatedOrganization;

  beforeAll(async () => {
    organization = operation.method === "GET" ? ofReads : await mintPopulatedOrganization();
  });

  test("first authenticates the request, and then validates it", () => {
    const { steps } = operation;
    expect(steps[0]).toMatchObject({ role: operation.role });
    expect(steps.filter(({ role }) => role !== undefined)).toHaveLength(1);
    const validations = steps.filter(({ param, query, json }) => param ?? query ?? json);
    expect(validations.length).toBeLessThanOrEqual(1);
    const before = validations[0] ? steps.slice(0, steps.indexOf(validations[0])) : [];
    const statuses = before.flatMap(({ errors = [] }) =>
      errors.map((code) => errorCatalogue[code].status),
    );
    expect(statuses.filter((status) => !beforeValidation.includes(status))).toEqual([]);
  });

  test("validates the ids in its path", () => {
    expect(operation.param !== undefined).toBe(operation.path.includes(":"));
  });

  // GET is a safe method by definition (RFC 9110, section 9.2.1), so GET operations are reads.
  test("requires the role specified in the API contract", () => {
    const isRead = operation.method === "GET";
    const isImport = operation.path.endsWith("/:id/imports");
    const collection = isImport ? "networks/:id/imports" : collectionOf(operation);
    const roleToRead = collection === "audit" ? "Admin" : "Viewer";
    expect(operation.role).toBe(isRead ? roleToRead : roleToChange(collection));
  });

  test("rejects a request without a key, and makes no database call", async () => {
    const api = openApi();
    const answer = await changingNothing(organization.id, () =>
      perform(api, operation, organization),
    );
    expect(seen(answer)).toEqual(unauthorized("auth_not_authenticated", { reason: "missing" }));
    expect(await api.calls()).toBe(0);
  });

  test.each(roles.slice(0, roles.indexOf(operation.role)).slice(-1))(
    "rejects the role %s, which is one level too low",
    async (role) => {
      for (const key of [
        await mintKey(organization.id, { role }),
        await mintToken(organization.keys.owner, { role }),
      ]) {
        const answer = await changingNothing(organization.id, () =>
          perform(openApi(), operation, organization, { key }),
        );
        expect(seen(answer)).toEqual(
          failed("auth_permission_denied", { required_role: operation.role, role }),
        );
      }
    },
  );

  // A create returns 404 only for a replay, which the Idempotency-Key tests cover.
  const provocable = declaredStatuses(operation).filter(
    (status) => provocations[status] && (status !== 404 || operation.param !== undefined),
  );

  test.each(provocable)(
    "changes nothing if it fails with the declared status %i",
    async (status) => {
      const answer = await changingNothing(organization.id, async () =>
        provocations[status]?.(operation, organization),
      );
      expect(answer).toMatchObject({ status, body: { success: false } });
    },
  );

  test("rejects an unknown query parameter without changing anything", async () => {
    const path = pathOf(operation, organization);
    const answer = await changingNothing(organization.id, () =>
      sendWith(operation, organization, {
        path: withUnknown(path),
      }),
    );
    expect(answer).toMatchObject({
      status: 400,
      body: { code: "validation_failed", params: { issues: [{ path: "query.unknown" }] } },
    });
  });

  const headers = operation.steps.flatMap(({ requestHeaders = [] }) => requestHeaders);

  test.runIf(headers.includes("If-Match"))(
    "changes nothing if the record has changed since it was read",
    async () => {
      const answer = await changingNothing(organization.id, () =>
        sendWith(operation, organization, { headers: { "If-Match": '"0-0"' } }),
      );
      expect(answer).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    },
  );

  test.runIf(headers.includes("If-None-Match") && operation.method === "GET")(
    "does not send a body to a caller who already has the record",
    async () => {
      const answer = await sendWith(operation, organization, {
        headers: { "If-None-Match": "*" },
      });
      expect(answer).toMatchObject({ status: 304, body: undefined });
    },
  );

  test.runIf(headers.includes("Idempotency-Key"))(
    "creates only once per Idempotency-Key, and rejects another request with the same key",
    async () => {
      const api = openApi();
      const options = {
        key: organization.keys.owner,
        json: bodyOf(operation, organization),
        headers: { "Idempotency-Key": crypto.randomUUID() },
      };
      const send = (json: unknown) =>
        api.send("POST", pathOf(operation, organization), { ...options, json });
      const first = await send(options.json);
      const replayed = await changingNothing(organization.id, () => send(options.json));
      expect(replayed.status).toBe(first.status);
      expect(replayed.headers.get("idempotent-replayed")).toBe("true");
      // The only creation of records whose ids the caller cannot choose.
      const takesSeveral = operation.path.endsWith("/available-ips");
      const another = (record: unknown) => ({
        ...Object(record),
        ...(takesSeveral ? { count: 2 } : { id: crypto.randomUUID() }),
      });
      const reused = await changingNothing(organization.id, () =>
        send(Array.isArray(options.json) ? options.json.map(another) : another(options.json)),
      );
      expect(reused).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
      const location = first.headers.get("location");
      // Only a response with a single record has a Location.
      expect(location === null).toBe(Array.isArray(options.json) || takesSeveral);
      if (location !== null) {
        const deleted = await api.send("DELETE", location, { key: options.key });
        expect(deleted.status).toBeOneOf([200, 405]);
        const gone = await changingNothing(organization.id, () => send(options.json));
        // A scan cannot be deleted, so it still exists.
        expect(gone).toMatchObject(
          deleted.status === 405
            ? { status: 201, body: { success: true } }
            : { status: 404, body: { code: "entity_not_found" } },
        );
      }
    },
  );

  test("succeeds for a token with the lowest role, except if it manages keys and tokens", async () => {
    const isRead = operation.method === "GET";
    const target = isRead ? organization : await mintPopulatedOrganization();
    await removeCredentialsOfMerged(operation, target);
    const key = await mintToken(target.keys.owner, { role: operation.role });
    const answer = await perform(openApi(), operation, target, { key });
    const isOfKeys = /^\/api\/v1\/auth\/(keys|tokens)/.test(operation.path);
    expect(seen(answer)).toMatchObject(
      isOfKeys && !isRead
        ? failed("auth_scope_denied", { reason: "token" })
        : { status: operation.status },
    );
  });

  // This test is last because it may change the record. It also tests the grants of the API's
  // database role.
  test("succeeds for a key with the lowest role, in one database call, or two for a patch, an upsert or a webhook test", async () => {
    const api = openApi();
    const key = await mintKey(organization.id, { role: operation.role });
    await removeCredentialsOfMerged(operation, organization);
    // This request lets the isolate cache the key's organization, which is needed to seal a secret.
    await openApi().send("GET", "/api/v1/auth/whoami", { key });
    const answer = await perform(api, operation, organization, { key });
    const isBare = operation.steps.some(({ bareType }) => bareType !== undefined);
    expect(seen(answer)).toMatchObject({
      status: operation.status,
      ...(!isBare && { body: { success: true } }),
    });
    // These read the record first. Secrets are read with a database role other than the caller's.
    const isTwice =
      operation.method === "PATCH" || /\/(test|by-external-id\/:external_id)$/.test(operation.path);
    // Many records with children are read again, because they may have to be streamed.
    const isThrice = /^PATCH .*(hosts|services)\/bulk$/.test(operation.name);
    expect(await api.calls()).toBe(isThrice ? 3 : isTwice ? 2 : 1);
  });
});

describe.each(routes.filter(({ role }) => role === null))("$name, which is public,", (route) => {
  test("returns 503 if the configuration is invalid", async () => {
    const answer = await openApi({ SEALING_KEYS: "" }).send(route.method, route.path);
    expect(seen(answer)).toEqual(
      failed(
        "service_unavailable",
        { retry_after_seconds: 60, outcome: "unchanged", advice: "repeat" },
        { "retry-after": "60" },
      ),
    );
  });

  test("returns 500 after an unexpected error", async () => {
    const broken = new Proxy(
      {},
      {
        has() {
          throw new Error("a detail of the inside");
        },
      },
    );
    const answer = await openApi({ POLL_QUEUE: broken }).send(route.method, route.path);
    expect(seen(answer)).toEqual(
      failed("internal_error", { request_id: answer.headers.get("X-Request-Id") }),
    );
  });
});
