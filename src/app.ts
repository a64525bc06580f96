import type { ApplyGlobalResponse } from "hono/client";
import { methodNotAllowed } from "hono/method-not-allowed";
import { createApiKey, createApiKeys } from "./api-keys/create.ts";
import { rotateApiKey } from "./api-keys/rotate.ts";
import * as apiKeys from "./api-keys/routes.ts";
import { whoami } from "./api-keys/whoami.ts";
import * as credentials from "./credentials/routes.ts";
import { provisionDaemon } from "./daemons/provision.ts";
import { retryDaemonConnection } from "./daemons/retry-connection.ts";
import * as daemons from "./daemons/routes.ts";
import { cancelSession } from "./daemons/sessions/cancel.ts";
import * as sessions from "./daemons/sessions/routes.ts";
import { scanNetwork } from "./daemons/sessions/scan.ts";
import { asset } from "./docs/assets.ts";
import { home } from "./docs/home.ts";
import { reference } from "./docs/reference.ts";
import { allowListedOrigins } from "./http/cors.ts";
import type { FailureBody } from "./http/envelope.ts";
import { factory } from "./http/factory.ts";
import { respond, respondError, respondMethodNotAllowed, respondNotFound } from "./http/respond.ts";
import { createImport } from "./imports/create.ts";
import { listBindings } from "./inventory/bindings/list.ts";
import * as bindings from "./inventory/bindings/routes.ts";
import { consolidateHosts } from "./inventory/hosts/consolidate.ts";
import * as hosts from "./inventory/hosts/routes.ts";
import * as ipAddresses from "./inventory/ip-addresses/routes.ts";
import * as ports from "./inventory/ports/routes.ts";
import * as services from "./inventory/services/routes.ts";
import * as subnets from "./inventory/subnets/routes.ts";
import * as networks from "./networks/routes.ts";
import { readOwnOrganization } from "./organizations/read-own.ts";
import * as organizations from "./organizations/routes.ts";
import { health, ready, version } from "./status/health.ts";
import { addTagToRecords, assignTags, removeTagFromRecords } from "./tags/assign.ts";
import * as tags from "./tags/routes.ts";

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
  .get("/api/v1/auth/whoami", ...whoami)
  .get("/api/v1/auth/keys", ...apiKeys.list)
  .post("/api/v1/auth/keys", ...createApiKey)
  .post("/api/v1/auth/keys/bulk", ...createApiKeys)
  .post("/api/v1/auth/keys/bulk-delete", ...apiKeys.deleteMany)
  .get("/api/v1/auth/keys/:id", ...apiKeys.read)
  .put("/api/v1/auth/keys/:id", ...apiKeys.update)
  .delete("/api/v1/auth/keys/:id", ...apiKeys.deleteOne)
  .post("/api/v1/auth/keys/:id/rotate", ...rotateApiKey)
  .get("/api/v1/organizations", ...readOwnOrganization)
  .get("/api/v1/organizations/:id", ...organizations.read)
  .put("/api/v1/organizations/:id", ...organizations.update)
  .get("/api/v1/networks", ...networks.list)
  .post("/api/v1/networks", ...networks.create)
  .post("/api/v1/networks/bulk", ...networks.createMany)
  .post("/api/v1/networks/bulk-delete", ...networks.deleteMany)
  .get("/api/v1/networks/:id", ...networks.read)
  .put("/api/v1/networks/:id", ...networks.update)
  .delete("/api/v1/networks/:id", ...networks.deleteOne)
  .post("/api/v1/networks/:id/imports", ...createImport)
  .get("/api/v1/tags", ...tags.list)
  .post("/api/v1/tags", ...tags.create)
  .post("/api/v1/tags/bulk", ...tags.createMany)
  .post("/api/v1/tags/bulk-delete", ...tags.deleteMany)
  .put("/api/v1/tags/assign", ...assignTags)
  .post("/api/v1/tags/assign/bulk-add", ...addTagToRecords)
  .post("/api/v1/tags/assign/bulk-remove", ...removeTagFromRecords)
  .get("/api/v1/tags/:id", ...tags.read)
  .put("/api/v1/tags/:id", ...tags.update)
  .delete("/api/v1/tags/:id", ...tags.deleteOne)
  .get("/api/v1/credentials", ...credentials.list)
  .post("/api/v1/credentials", ...credentials.create)
  .post("/api/v1/credentials/bulk", ...credentials.createMany)
  .post("/api/v1/credentials/bulk-delete", ...credentials.deleteMany)
  .get("/api/v1/credentials/:id", ...credentials.read)
  .put("/api/v1/credentials/:id", ...credentials.update)
  .delete("/api/v1/credentials/:id", ...credentials.deleteOne)
  .get("/api/v1/daemons", ...daemons.list)
  .post("/api/v1/daemons/provision", ...provisionDaemon)
  .post("/api/v1/daemons/bulk-delete", ...daemons.deleteMany)
  .get("/api/v1/daemons/:id", ...daemons.read)
  .put("/api/v1/daemons/:id", ...daemons.update)
  .delete("/api/v1/daemons/:id", ...daemons.deleteOne)
  .post("/api/v1/daemons/:id/retry-connection", ...retryDaemonConnection)
  .post("/api/v1/daemons/:id/scan", ...scanNetwork)
  .get("/api/v1/discovery/sessions", ...sessions.list)
  .get("/api/v1/discovery/sessions/:id", ...sessions.read)
  .post("/api/v1/discovery/sessions/:id/cancel", ...cancelSession)
  .get("/api/v1/subnets", ...subnets.list)
  .post("/api/v1/subnets", ...subnets.create)
  .post("/api/v1/subnets/bulk", ...subnets.createMany)
  .post("/api/v1/subnets/bulk-delete", ...subnets.deleteMany)
  .get("/api/v1/subnets/:id", ...subnets.read)
  .put("/api/v1/subnets/:id", ...subnets.update)
  .delete("/api/v1/subnets/:id", ...subnets.deleteOne)
  .get("/api/v1/hosts", ...hosts.list)
  .post("/api/v1/hosts", ...hosts.create)
  .post("/api/v1/hosts/bulk", ...hosts.createMany)
  .post("/api/v1/hosts/bulk-delete", ...hosts.deleteMany)
  .get("/api/v1/hosts/:id", ...hosts.read)
  .put("/api/v1/hosts/:id", ...hosts.update)
  .delete("/api/v1/hosts/:id", ...hosts.deleteOne)
  .put("/api/v1/hosts/:id/consolidate/:other_id", ...consolidateHosts)
  .get("/api/v1/ip-addresses", ...ipAddresses.list)
  .post("/api/v1/ip-addresses", ...ipAddresses.create)
  .post("/api/v1/ip-addresses/bulk", ...ipAddresses.createMany)
  .post("/api/v1/ip-addresses/bulk-delete", ...ipAddresses.deleteMany)
  .get("/api/v1/ip-addresses/:id", ...ipAddresses.read)
  .put("/api/v1/ip-addresses/:id", ...ipAddresses.update)
  .delete("/api/v1/ip-addresses/:id", ...ipAddresses.deleteOne)
  .get("/api/v1/ports", ...ports.list)
  .post("/api/v1/ports", ...ports.create)
  .post("/api/v1/ports/bulk", ...ports.createMany)
  .post("/api/v1/ports/bulk-delete", ...ports.deleteMany)
  .get("/api/v1/ports/:id", ...ports.read)
  .put("/api/v1/ports/:id", ...ports.update)
  .delete("/api/v1/ports/:id", ...ports.deleteOne)
  .get("/api/v1/services", ...services.list)
  .post("/api/v1/services", ...services.create)
  .post("/api/v1/services/bulk", ...services.createMany)
  .post("/api/v1/services/bulk-delete", ...services.deleteMany)
  .get("/api/v1/services/:id", ...services.read)
  .put("/api/v1/services/:id", ...services.update)
  .delete("/api/v1/services/:id", ...services.deleteOne)
  .get("/api/v1/bindings", ...listBindings)
  .post("/api/v1/bindings", ...bindings.create)
  .post("/api/v1/bindings/bulk", ...bindings.createMany)
  .post("/api/v1/bindings/bulk-delete", ...bindings.deleteMany)
  .get("/api/v1/bindings/:id", ...bindings.read)
  .put("/api/v1/bindings/:id", ...bindings.update)
  .delete("/api/v1/bindings/:id", ...bindings.deleteOne);

/** The type of the API, for Hono's client `hc`, with every response that an operation can give. */
export type App = ApplyGlobalResponse<
  typeof app,
  {
    500: { json: FailureBody<"internal_error"> };
    503: { json: FailureBody<"service_unavailable"> };
  }
>;
