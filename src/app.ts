import type { ApplyGlobalResponse } from "hono/client";
import { methodNotAllowed } from "hono/method-not-allowed";
import { createApiKey, createApiKeys } from "./api-keys/create.ts";
import { deleteApiKey, deleteApiKeys } from "./api-keys/delete.ts";
import { listApiKeys } from "./api-keys/list.ts";
import { readApiKey } from "./api-keys/read.ts";
import { rotateApiKey } from "./api-keys/rotate.ts";
import { updateApiKey } from "./api-keys/update.ts";
import { whoami } from "./api-keys/whoami.ts";
import { listBindings } from "./bindings/list.ts";
import { createCredential, createCredentials } from "./credentials/create.ts";
import { deleteCredential, deleteCredentials } from "./credentials/delete.ts";
import { listCredentials } from "./credentials/list.ts";
import { readCredential } from "./credentials/read.ts";
import { updateCredential } from "./credentials/update.ts";
import { deleteDaemon, deleteDaemons } from "./daemons/delete.ts";
import { listDaemons } from "./daemons/list.ts";
import { provisionDaemon } from "./daemons/provision.ts";
import { readDaemon } from "./daemons/read.ts";
import { retryDaemonConnection } from "./daemons/retry-connection.ts";
import { updateDaemon } from "./daemons/update.ts";
import { asset } from "./docs/assets.ts";
import { home } from "./docs/home.ts";
import { reference } from "./docs/reference.ts";
import { allowListedOrigins } from "./http/cors.ts";
import type { FailureBody } from "./http/envelope.ts";
import { factory } from "./http/factory.ts";
import { respond, respondError, respondMethodNotAllowed, respondNotFound } from "./http/respond.ts";
import { createNetwork, createNetworks } from "./networks/create.ts";
import { deleteNetwork, deleteNetworks } from "./networks/delete.ts";
import { listNetworks } from "./networks/list.ts";
import { readNetwork } from "./networks/read.ts";
import { updateNetwork } from "./networks/update.ts";
import { readOrganization, readOwnOrganization } from "./organizations/read.ts";
import { renameOrganization } from "./organizations/update.ts";
import { health, ready, version } from "./status/health.ts";
import { addTagToRecords, assignTags, removeTagFromRecords } from "./tags/assign.ts";
import { createTag, createTags } from "./tags/create.ts";
import { deleteTag, deleteTags } from "./tags/delete.ts";
import { listTags } from "./tags/list.ts";
import { readTag } from "./tags/read.ts";
import { updateTag } from "./tags/update.ts";

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
  .get("/api/v1/auth/keys", ...listApiKeys)
  .post("/api/v1/auth/keys", ...createApiKey)
  .post("/api/v1/auth/keys/bulk", ...createApiKeys)
  .post("/api/v1/auth/keys/bulk-delete", ...deleteApiKeys)
  .get("/api/v1/auth/keys/:id", ...readApiKey)
  .put("/api/v1/auth/keys/:id", ...updateApiKey)
  .delete("/api/v1/auth/keys/:id", ...deleteApiKey)
  .post("/api/v1/auth/keys/:id/rotate", ...rotateApiKey)
  .get("/api/v1/organizations", ...readOwnOrganization)
  .get("/api/v1/organizations/:id", ...readOrganization)
  .put("/api/v1/organizations/:id", ...renameOrganization)
  .get("/api/v1/networks", ...listNetworks)
  .post("/api/v1/networks", ...createNetwork)
  .post("/api/v1/networks/bulk", ...createNetworks)
  .post("/api/v1/networks/bulk-delete", ...deleteNetworks)
  .get("/api/v1/networks/:id", ...readNetwork)
  .put("/api/v1/networks/:id", ...updateNetwork)
  .delete("/api/v1/networks/:id", ...deleteNetwork)
  .get("/api/v1/tags", ...listTags)
  .post("/api/v1/tags", ...createTag)
  .post("/api/v1/tags/bulk", ...createTags)
  .post("/api/v1/tags/bulk-delete", ...deleteTags)
  .put("/api/v1/tags/assign", ...assignTags)
  .post("/api/v1/tags/assign/bulk-add", ...addTagToRecords)
  .post("/api/v1/tags/assign/bulk-remove", ...removeTagFromRecords)
  .get("/api/v1/tags/:id", ...readTag)
  .put("/api/v1/tags/:id", ...updateTag)
  .delete("/api/v1/tags/:id", ...deleteTag)
  .get("/api/v1/credentials", ...listCredentials)
  .post("/api/v1/credentials", ...createCredential)
  .post("/api/v1/credentials/bulk", ...createCredentials)
  .post("/api/v1/credentials/bulk-delete", ...deleteCredentials)
  .get("/api/v1/credentials/:id", ...readCredential)
  .put("/api/v1/credentials/:id", ...updateCredential)
  .delete("/api/v1/credentials/:id", ...deleteCredential)
  .get("/api/v1/daemons", ...listDaemons)
  .post("/api/v1/daemons/provision", ...provisionDaemon)
  .post("/api/v1/daemons/bulk-delete", ...deleteDaemons)
  .get("/api/v1/daemons/:id", ...readDaemon)
  .put("/api/v1/daemons/:id", ...updateDaemon)
  .delete("/api/v1/daemons/:id", ...deleteDaemon)
  .post("/api/v1/daemons/:id/retry-connection", ...retryDaemonConnection)
  .get("/api/v1/bindings", ...listBindings);

/** The type of the API, for Hono's client `hc`, with every response that an operation can give. */
export type App = ApplyGlobalResponse<
  typeof app,
  {
    500: { json: FailureBody<"internal_error"> };
    503: { json: FailureBody<"service_unavailable"> };
  }
>;
