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

/** Least roles to change a collection (API contract, section 2). Every read but that of `audit` needs a Viewer. */
const rolesToChange: Readonly<Record<string, Role>> = {
  hosts: "Member",
  "ip-addresses": "Member",
  ports: "Member",
  interfaces: "Member",
  services: "Member",
  subnets: "Member",
  bindings: "Member",
  daemons: "Member",
  "discovery/sessions": "Member",
  "tags/assign": "Member",
  "networks/:id/imports": "Member",
  organizations: "Owner",
};

/** The rule of the longest name that the path of a collection begins with. All else needs an Admin. */
const roleToChange = (collection: string) =>
  Object.entries(rolesToChange)
    .filter(([name]) => `${collection}/`.startsWith(`${name}/`))
    .sort(([a], [b]) => b.length - a.length)[0]?.[1] ?? "Admin";

test("the operations that need no key are these", () => {
  expect(routes.filter(({ role }) => role === null).map(({ name }) => name)).toEqual([
    "GET /api/health",
    "GET /api/health/ready",
    "GET /api/version",
  ]);
});

test("every sample in test/<resource>/samples.ts is of an operation that takes a body", () => {
  const withBody = operations.filter(({ json }) => json !== undefined).map(({ name }) => name);
  expect(Object.keys(samples).filter((name) => !withBody.includes(name))).toEqual([]);
});

/** A path with a parameter that nothing takes. */
const withUnknown = (path: string) => `${path}${path.includes("?") ? "&" : "?"}unknown=1`;

/** Sends a request of an operation as the owner, spoilt. */
function sendSpoilt(
  operation: Operation,
  organization: PopulatedOrganization,
  spoilt: { path?: string; variables?: Record<string, unknown> } & RequestOptions,
  api = openApi(spoilt.variables),
): Promise<Answer> {
  const { path = pathOf(operation, organization), variables: _, ...options } = spoilt;
  const json = options.body === undefined ? bodyOf(operation, organization) : undefined;
  return api.send(operation.method, path, { key: organization.keys.owner, json, ...options });
}

type Provocation = (operation: Operation, organization: PopulatedOrganization) => Promise<Answer>;

const against =
  (fault: Fault): Provocation =>
  async (operation, organization) => {
    const api = openApi();
    // A report that meets other changes is ingested again, twice at most.
    await api.disturb({ faults: [fault, fault, fault] });
    return sendSpoilt(operation, organization, {}, api);
  };

const jsonType = { "Content-Type": "application/json" };

/** How to provoke a failure of any operation, by status. Others are for an operation's own tests. */
const provocations: Readonly<Record<number, Provocation>> = {
  400: (operation, organization) => {
    const path = pathOf(operation, organization);
    return sendSpoilt(
      operation,
      organization,
      operation.json
        ? { headers: jsonType, body: "{" }
        : { path: operation.query ? withUnknown(path) : operation.path },
    );
  },
  404: (operation, organization) =>
    sendSpoilt(operation, organization, {
      path: operation.path
        .replace(":id", crypto.randomUUID())
        .replace(":other_id", crypto.randomUUID())
        .replace(":delivery_id", crypto.randomUUID()),
    }),
  406: (operation, organization) =>
    sendSpoilt(operation, organization, { headers: { Accept: "image/png" } }),
  408: async (operation, organization) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const body = new ReadableStream({ type: "bytes", pull: () => new Promise(() => {}) });
      const answer = sendSpoilt(operation, organization, { headers: jsonType, body });
      await vi.waitUntil(() => vi.getTimerCount() > 0);
      vi.advanceTimersByTime(bodyPace.wholeMilliseconds);
      return await answer;
    } finally {
      vi.useRealTimers();
    }
  },
  409: against({ kind: "sqlstate", code: "40001", message: "two changes met" }),
  413: (operation, organization) =>
    sendSpoilt(operation, organization, {
      headers: jsonType,
      body: `"${"a".repeat((operation.path.endsWith("/imports") ? 8 : 1) * 1_048_576)}"`,
    }),
  415: (operation, organization) => sendSpoilt(operation, organization, { body: "text" }),
  429: (operation, organization) =>
    sendSpoilt(operation, organization, {
      variables: { RATE_LIMITS: "on", KEY_RATE_LIMIT: fakeLimiter(0) },
    }),
  500: against({ kind: "sqlstate", code: "42P01", message: "a bug" }),
  503: against({ kind: "refuse" }),
};

/** Verdicts on the key, which go before those on the form of the request. */
const beforeValidation = [401, 403, 409, 429];

/** The organization of all reads, which change nothing. */
let ofReads: PopulatedOrganization;

beforeAll(async () => {
  ofReads = await mintPopulatedOrganization();
});

describe.each(operations)("$name", (operation: Operation) => {
  let organization: PopulatedOrganization;

  beforeAll(async () => {
    organization = operation.method === "GET" ? ofReads : await mintPopulatedOrganization();
  });

  test("begins with its authentication, and judges the form of a request next", () => {
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

  // A GET is safe by definition (RFC 9110, section 9.2.1): here the method does mean a read.
  test("needs the role of the contract", () => {
    const isRead = operation.method === "GET";
    const isImport = operation.path.endsWith("/:id/imports");
    const collection = isImport ? "networks/:id/imports" : collectionOf(operation);
    const roleToRead = collection === "audit" ? "Admin" : "Viewer";
    expect(operation.role).toBe(isRead ? roleToRead : roleToChange(collection));
  });

  test("refuses a request without a key, without a call of the database", async () => {
    const api = openApi();
    const answer = await changingNothing(organization.id, () =>
      perform(api, operation, organization),
    );
    expect(seen(answer)).toEqual(unauthorized("auth_not_authenticated", { reason: "missing" }));
    expect(await api.calls()).toBe(0);
  });

  test.each(roles.slice(0, roles.indexOf(operation.role)).slice(-1))(
    "refuses the role %s, which is just too low",
    async (role) => {
      const key = await mintKey(organization.id, { role });
      const answer = await changingNothing(organization.id, () =>
        perform(openApi(), operation, organization, { key }),
      );
      expect(seen(answer)).toEqual(
        failed("auth_permission_denied", { required_role: operation.role, role }),
      );
    },
  );

  // A create finds nothing only where it is a replay, which is for the tests of Idempotency-Key.
  const provocable = declaredStatuses(operation).filter(
    (status) => provocations[status] && (status !== 404 || operation.param !== undefined),
  );

  test.each(provocable)(
    "can fail with %i, as it declares, and changes nothing then",
    async (status) => {
      const answer = await changingNothing(organization.id, async () =>
        provocations[status]?.(operation, organization),
      );
      expect(answer).toMatchObject({ status, body: { success: false } });
    },
  );

  test("refuses a query parameter that it does not take, and changes nothing then", async () => {
    const path = pathOf(operation, organization);
    const answer = await changingNothing(organization.id, () =>
      sendSpoilt(operation, organization, {
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
    "changes nothing where the record is not the one that was read",
    async () => {
      const answer = await changingNothing(organization.id, () =>
        sendSpoilt(operation, organization, { headers: { "If-Match": '"0-0"' } }),
      );
      expect(answer).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    },
  );

  test.runIf(headers.includes("If-None-Match"))(
    "sends no body to a caller who has the record already",
    async () => {
      const answer = await sendSpoilt(operation, organization, {
        headers: { "If-None-Match": "*" },
      });
      expect(answer).toMatchObject({ status: 304, body: undefined });
    },
  );

  test.runIf(headers.includes("Idempotency-Key"))(
    "creates once for an Idempotency-Key, and refuses another request with it",
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
      const another = (record: unknown) => ({ ...Object(record), id: crypto.randomUUID() });
      const reused = await changingNothing(organization.id, () =>
        send(Array.isArray(options.json) ? options.json.map(another) : another(options.json)),
      );
      expect(reused).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
      const location = first.headers.get("location");
      // Only a bulk create makes more than one record, and so names no place.
      expect(location === null).toBe(Array.isArray(options.json));
      if (location !== null) {
        const deleted = await api.send("DELETE", location, { key: options.key });
        expect(deleted.status).toBeOneOf([200, 405]);
        const gone = await changingNothing(organization.id, () => send(options.json));
        // A scan cannot be deleted: then it is still there.
        expect(gone).toMatchObject(
          deleted.status === 405
            ? { status: 201, body: { success: true } }
            : { status: 404, body: { code: "entity_not_found" } },
        );
      }
    },
  );

  // Last, as it may change what it is about. Its statements meet the grants of the API's role here.
  test("succeeds in one call of the database for a key of its least role, a patch and a trial in two", async () => {
    const api = openApi();
    const key = await mintKey(organization.id, { role: operation.role });
    if (operation.path.includes(":other_id")) {
      // To consolidate hosts that have credentials needs more than the least role.
      await sql`delete from credential_hosts where organization_id = ${organization.id}`;
    }
    // Tells this isolate the key's organization, which what seals a secret needs to know.
    await openApi().send("GET", "/api/v1/auth/whoami", { key });
    const answer = await perform(api, operation, organization, { key });
    const isBare = operation.steps.some(({ bareType }) => bareType !== undefined);
    expect(seen(answer)).toMatchObject({
      status: operation.status,
      ...(!isBare && { body: { success: true } }),
    });
    // Secrets are not for the role that callers have.
    const isTwoRoles = operation.path.endsWith("/test");
    expect(await api.calls()).toBe(operation.method === "PATCH" || isTwoRoles ? 2 : 1);
  });
});

describe.each(routes.filter(({ role }) => role === null))("$name, which is public,", (route) => {
  test("is 503 when the configuration is unusable", async () => {
    const answer = await openApi({ SEALING_KEYS: "" }).send(route.method, route.path);
    expect(seen(answer)).toEqual(
      failed(
        "service_unavailable",
        { retry_after_seconds: 60, outcome: "unchanged", advice: "repeat" },
        { "retry-after": "60" },
      ),
    );
  });

  test("is 500 when something unforeseen breaks", async () => {
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
