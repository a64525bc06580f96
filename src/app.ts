import type { ApplyGlobalResponse } from "hono/client";
import { methodNotAllowed } from "hono/method-not-allowed";
import { createApiKey, createApiKeys } from "./api-keys/create.ts";
import { deleteApiKey, deleteApiKeys } from "./api-keys/delete.ts";
import { listApiKeys } from "./api-keys/list.ts";
import { readApiKey } from "./api-keys/read.ts";
import { rotateApiKey } from "./api-keys/rotate.ts";
import { updateApiKey } from "./api-keys/update.ts";
import { whoami } from "./api-keys/whoami.ts";
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
import { cancelSession } from "./daemons/sessions/cancel.ts";
import { listSessions } from "./daemons/sessions/list.ts";
import { readSession } from "./daemons/sessions/read.ts";
import { scanNetwork } from "./daemons/sessions/scan.ts";
import { updateDaemon } from "./daemons/update.ts";
import { asset } from "./docs/assets.ts";
import { home } from "./docs/home.ts";
import { reference } from "./docs/reference.ts";
import { allowListedOrigins } from "./http/cors.ts";
import type { FailureBody } from "./http/envelope.ts";
import { factory } from "./http/factory.ts";
import { respond, respondError, respondMethodNotAllowed, respondNotFound } from "./http/respond.ts";
import { createImport } from "./imports/create.ts";
import { createBinding, createBindings } from "./inventory/bindings/create.ts";
import { deleteBinding, deleteBindings } from "./inventory/bindings/delete.ts";
import { listBindings } from "./inventory/bindings/list.ts";
import { readBinding } from "./inventory/bindings/read.ts";
import { updateBinding } from "./inventory/bindings/update.ts";
import { consolidateHosts } from "./inventory/hosts/consolidate.ts";
import { createHost, createHosts } from "./inventory/hosts/create.ts";
import { deleteHost, deleteHosts } from "./inventory/hosts/delete.ts";
import { listHosts } from "./inventory/hosts/list.ts";
import { readHost } from "./inventory/hosts/read.ts";
import { updateHost } from "./inventory/hosts/update.ts";
import { createIPAddress, createIPAddresses } from "./inventory/ip-addresses/create.ts";
import { deleteIPAddress, deleteIPAddresses } from "./inventory/ip-addresses/delete.ts";
import { listIPAddresses } from "./inventory/ip-addresses/list.ts";
import { readIPAddress } from "./inventory/ip-addresses/read.ts";
import { updateIPAddress } from "./inventory/ip-addresses/update.ts";
import { createPort, createPorts } from "./inventory/ports/create.ts";
import { deletePort, deletePorts } from "./inventory/ports/delete.ts";
import { listPorts } from "./inventory/ports/list.ts";
import { readPort } from "./inventory/ports/read.ts";
import { updatePort } from "./inventory/ports/update.ts";
import { createService, createServices } from "./inventory/services/create.ts";
import { deleteService, deleteServices } from "./inventory/services/delete.ts";
import { listServices } from "./inventory/services/list.ts";
import { readService } from "./inventory/services/read.ts";
import { updateService } from "./inventory/services/update.ts";
import { createSubnet, createSubnets } from "./inventory/subnets/create.ts";
import { deleteSubnet, deleteSubnets } from "./inventory/subnets/delete.ts";
import { listSubnets } from "./inventory/subnets/list.ts";
import { readSubnet } from "./inventory/subnets/read.ts";
import { updateSubnet } from "./inventory/subnets/update.ts";
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
  .post("/api/v1/networks/:id/imports", ...createImport)
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
  .post("/api/v1/daemons/:id/scan", ...scanNetwork)
  .get("/api/v1/discovery/sessions", ...listSessions)
  .get("/api/v1/discovery/sessions/:id", ...readSession)
  .post("/api/v1/discovery/sessions/:id/cancel", ...cancelSession)
  .get("/api/v1/subnets", ...listSubnets)
  .post("/api/v1/subnets", ...createSubnet)
  .post("/api/v1/subnets/bulk", ...createSubnets)
  .post("/api/v1/subnets/bulk-delete", ...deleteSubnets)
  .get("/api/v1/subnets/:id", ...readSubnet)
  .put("/api/v1/subnets/:id", ...updateSubnet)
  .delete("/api/v1/subnets/:id", ...deleteSubnet)
  .get("/api/v1/hosts", ...listHosts)
  .post("/api/v1/hosts", ...createHost)
  .post("/api/v1/hosts/bulk", ...createHosts)
  .post("/api/v1/hosts/bulk-delete", ...deleteHosts)
  .get("/api/v1/hosts/:id", ...readHost)
  .put("/api/v1/hosts/:id", ...updateHost)
  .delete("/api/v1/hosts/:id", ...deleteHost)
  .put("/api/v1/hosts/:id/consolidate/:other_id", ...consolidateHosts)
  .get("/api/v1/ip-addresses", ...listIPAddresses)
  .post("/api/v1/ip-addresses", ...createIPAddress)
  .post("/api/v1/ip-addresses/bulk", ...createIPAddresses)
  .post("/api/v1/ip-addresses/bulk-delete", ...deleteIPAddresses)
  .get("/api/v1/ip-addresses/:id", ...readIPAddress)
  .put("/api/v1/ip-addresses/:id", ...updateIPAddress)
  .delete("/api/v1/ip-addresses/:id", ...deleteIPAddress)
  .get("/api/v1/ports", ...listPorts)
  .post("/api/v1/ports", ...createPort)
  .post("/api/v1/ports/bulk", ...createPorts)
  .post("/api/v1/ports/bulk-delete", ...deletePorts)
  .get("/api/v1/ports/:id", ...readPort)
  .put("/api/v1/ports/:id", ...updatePort)
  .delete("/api/v1/ports/:id", ...deletePort)
  .get("/api/v1/services", ...listServices)
  .post("/api/v1/services", ...createService)
  .post("/api/v1/services/bulk", ...createServices)
  .post("/api/v1/services/bulk-delete", ...deleteServices)
  .get("/api/v1/services/:id", ...readService)
  .put("/api/v1/services/:id", ...updateService)
  .delete("/api/v1/services/:id", ...deleteService)
  .get("/api/v1/bindings", ...listBindings)
  .post("/api/v1/bindings", ...createBinding)
  .post("/api/v1/bindings/bulk", ...createBindings)
  .post("/api/v1/bindings/bulk-delete", ...deleteBindings)
  .get("/api/v1/bindings/:id", ...readBinding)
  .put("/api/v1/bindings/:id", ...updateBinding)
  .delete("/api/v1/bindings/:id", ...deleteBinding);

/** The type of the API, for Hono's client `hc`, with every response that an operation can give. */
export type App = ApplyGlobalResponse<
  typeof app,
  {
    500: { json: FailureBody<"internal_error"> };
    503: { json: FailureBody<"service_unavailable"> };
  }
>;
