import type { ApplyGlobalResponse } from "hono/client";
import { methodNotAllowed } from "hono/method-not-allowed";
import { listBindings } from "./bindings/list.ts";
import { listCredentials } from "./credentials/list.ts";
import { updateCredential } from "./credentials/update.ts";
import { listDaemons } from "./daemons/list.ts";
import { readDaemon } from "./daemons/read.ts";
import { retryDaemonConnection } from "./daemons/retry-connection.ts";
import { asset } from "./docs/assets.ts";
import { home } from "./docs/home.ts";
import { reference } from "./docs/reference.ts";
import { allowListedOrigins } from "./http/cors.ts";
import type { FailureBody } from "./http/envelope.ts";
import { factory } from "./http/factory.ts";
import { respond, respondError, respondMethodNotAllowed, respondNotFound } from "./http/respond.ts";
import { renameOrganization } from "./organizations/update.ts";
import { health, ready, version } from "./status/health.ts";

const root = factory.createApp();
root.onError(respondError);
root.notFound(respondNotFound);
root.use(respond);
root.use(allowListedOrigins(root));
root.use(methodNotAllowed({ app: root, onMethodNotAllowed: respondMethodNotAllowed }));

/** Pages for people, which are not part of the API. */
root.get("/", ...home).get("/docs", ...reference);
root.get("/openapi.json", ...asset).get("/docs/:file", ...asset);

/** Every endpoint, one line each. */
export const app = root
  .get("/api/health", ...health)
  .get("/api/health/ready", ...ready)
  .get("/api/version", ...version)
  .get("/api/v1/credentials", ...listCredentials)
  .put("/api/v1/credentials/:id", ...updateCredential)
  .put("/api/v1/organizations/:id", ...renameOrganization)
  .get("/api/v1/daemons", ...listDaemons)
  .get("/api/v1/daemons/:id", ...readDaemon)
  .post("/api/v1/daemons/:id/retry-connection", ...retryDaemonConnection)
  .get("/api/v1/bindings", ...listBindings);

/** The type of the API, for Hono's client `hc`, with every respond that an operation can give. */
export type App = ApplyGlobalResponse<
  typeof app,
  {
    500: { json: FailureBody<"internal_error"> };
    503: { json: FailureBody<"service_unavailable"> };
  }
>;
