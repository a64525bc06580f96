import type { ApplyGlobalResponse } from "hono/client";
import { methodNotAllowed } from "hono/method-not-allowed";
import { movedTo, servedBy } from "./compatibility/moved.ts";
import { asset, openApiDocument } from "./docs/assets.ts";
import { explore } from "./docs/explore.ts";
import { home } from "./docs/home.ts";
import { reference } from "./docs/reference.ts";
import { announceChanges } from "./http/announce-changes.ts";
import { allowListedOrigins } from "./http/cors.ts";
import type { FailureBody } from "./http/envelope.ts";
import { factory } from "./http/factory.ts";
import { onFirstRequest } from "./http/on-first-request.ts";
import { respond, respondError, respondMethodNotAllowed, respondNotFound } from "./http/respond.ts";
import { health, version } from "./status/health.ts";

/** Modules that are loaded on first use, so that the Worker starts quickly. */
const apiKeyCreation = onFirstRequest(() => import("./api-keys/create.ts"));
const apiKeyRotation = onFirstRequest(() => import("./api-keys/rotate.ts"));
const apiKeys = onFirstRequest(() => import("./api-keys/routes.ts"));
const tokenIssue = onFirstRequest(() => import("./api-keys/issue-token.ts"));
const audit = onFirstRequest(() => import("./audit/list.ts"));
const caller = onFirstRequest(() => import("./api-keys/whoami.ts"));
const changes = onFirstRequest(() => import("./changes/list.ts"));
const diff = onFirstRequest(() => import("./changes/diff.ts"));
const histogram = onFirstRequest(() => import("./changes/histogram.ts"));
const credentials = onFirstRequest(() => import("./credentials/routes.ts"));
const provisioning = onFirstRequest(() => import("./daemons/provision.ts"));
const connections = onFirstRequest(() => import("./daemons/retry-connection.ts"));
const reachability = onFirstRequest(() => import("./daemons/test-reachability.ts"));
const daemons = onFirstRequest(() => import("./daemons/routes.ts"));
const daemonUpsert = onFirstRequest(() => import("./daemons/upsert.ts"));
const cancellation = onFirstRequest(() => import("./daemons/sessions/cancel.ts"));
const sessions = onFirstRequest(() => import("./daemons/sessions/routes.ts"));
const rescans = onFirstRequest(() => import("./daemons/sessions/rescan.ts"));
const scans = onFirstRequest(() => import("./daemons/sessions/scan.ts"));
const imports = onFirstRequest(() => import("./imports/create.ts"));
const bindings = onFirstRequest(() => import("./inventory/bindings/routes.ts"));
const consolidation = onFirstRequest(() => import("./inventory/hosts/consolidate.ts"));
const exports = onFirstRequest(() => import("./inventory/exports/routes.ts"));
const emptyLists = onFirstRequest(() => import("./compatibility/empty-lists.ts"));
const hosts = onFirstRequest(() => import("./inventory/hosts/routes.ts"));
const interfaces = onFirstRequest(() => import("./inventory/interfaces/routes.ts"));
const ifEntries = onFirstRequest(() => import("./inventory/interfaces/if-entries.ts"));
const ipAddresses = onFirstRequest(() => import("./inventory/ip-addresses/routes.ts"));
const neighbors = onFirstRequest(() => import("./inventory/neighbors/routes.ts"));
const ports = onFirstRequest(() => import("./inventory/ports/routes.ts"));
const search = onFirstRequest(() => import("./inventory/search/read.ts"));
const services = onFirstRequest(() => import("./inventory/services/routes.ts"));
const availableIps = onFirstRequest(() => import("./inventory/subnets/available-ips.ts"));
const subnets = onFirstRequest(() => import("./inventory/subnets/routes.ts"));
const summary = onFirstRequest(() => import("./inventory/summary/read.ts"));
const topology = onFirstRequest(() => import("./inventory/topology/read.ts"));
const topologyViews = onFirstRequest(() => import("./inventory/topology/views/read.ts"));
const topologies = onFirstRequest(() => import("./inventory/topology/views/list.ts"));
const vlans = onFirstRequest(() => import("./inventory/vlans/list.ts"));
const networks = onFirstRequest(() => import("./networks/routes.ts"));
const ownOrganization = onFirstRequest(() => import("./organizations/read-own.ts"));
const historyOfOrganization = onFirstRequest(() => import("./organizations/set-history.ts"));
const organizationCreation = onFirstRequest(() => import("./organizations/create.ts"));
const organizationStates = onFirstRequest(() => import("./organizations/suspend.ts"));
const organizationUsage = onFirstRequest(() => import("./organizations/usage.ts"));
const organizations = onFirstRequest(() => import("./organizations/routes.ts"));
const readiness = onFirstRequest(() => import("./status/ready.ts"));
const tagAssignment = onFirstRequest(() => import("./tags/assign.ts"));
const tags = onFirstRequest(() => import("./tags/routes.ts"));
const webhookCreation = onFirstRequest(() => import("./changes/webhooks/create.ts"));
const webhookReplay = onFirstRequest(() => import("./changes/webhooks/replay.ts"));
const webhookRotation = onFirstRequest(() => import("./changes/webhooks/rotate.ts"));
const webhooks = onFirstRequest(() => import("./changes/webhooks/routes.ts"));
const deliveries = onFirstRequest(() => import("./changes/deliveries/list.ts"));
const deliveryRetry = onFirstRequest(() => import("./changes/deliveries/retry.ts"));
const receiverTrial = onFirstRequest(() => import("./changes/deliveries/try-receiver.ts"));
const timelines = onFirstRequest(() => import("./changes/timelines.ts"));

const root = factory.createApp();
root.onError(respondError);
root.notFound(respondNotFound(root));
root.use(respond);
root.use(allowListedOrigins(root));
root.use("/api/*", announceChanges);
root.use(methodNotAllowed({ app: root, onMethodNotAllowed: respondMethodNotAllowed(root) }));

/** Web pages, which are not part of the API. */
root.get("/", ...home).get("/docs", ...reference);
root.get("/explore", ...explore).get("/explore/:file", ...asset);
root.get("/docs/:group{[a-z-]+}", ...reference).get("/docs/:file", ...asset);
root.get("/openapi.json", ...openApiDocument);

/** The Model Context Protocol endpoint, which is built on top of the API. */
const assistants = onFirstRequest(async () => (await import("./mcp/serve.ts")).serves(root));
root.post("/mcp", ...assistants("serve"));

/** Paths for older clients, which are not part of the API. */
root
  .all("/api/hosts", ...movedTo("/api/v1/hosts"))
  .all("/api/services", ...movedTo("/api/v1/services"))
  .all("/api/config", ...movedTo("/api/version"))
  .all("/api/v1/if-entries/:rest{.+}", ...movedTo("/api/v1/interfaces", "/api/v1/if-entries"));
root.use("/api/v1/topology", servedBy(root, "/api/v1/topologies", "limit"));

/** All endpoints, one per line. */
export const app = root
  .get("/api/health", ...health)
  .get("/api/health/ready", ...readiness("ready"))
  .get("/api/version", ...version)
  .get("/api/v1/auth/whoami", ...caller("whoami"))
  .get("/api/v1/auth/keys", ...apiKeys("list"))
  .post("/api/v1/auth/keys", ...apiKeyCreation("createApiKey"))
  .post("/api/v1/auth/keys/bulk", ...apiKeyCreation("createApiKeys"))
  .post("/api/v1/auth/keys/bulk-delete", ...apiKeys("deleteMany"))
  .get("/api/v1/auth/keys/:id", ...apiKeys("read"))
  .put("/api/v1/auth/keys/:id", ...apiKeys("update"))
  .patch("/api/v1/auth/keys/:id", ...apiKeys("patch"))
  .delete("/api/v1/auth/keys/:id", ...apiKeys("deleteOne"))
  .post("/api/v1/auth/keys/:id/rotate", ...apiKeyRotation("rotateApiKey"))
  .post("/api/v1/auth/tokens", ...tokenIssue("issueToken"))
  .get("/api/v1/organizations", ...ownOrganization("readOwnOrganization"))
  .post("/api/v1/organizations", ...organizationCreation("createOrganization"))
  .get("/api/v1/organizations/:id", ...organizations("read"))
  .put("/api/v1/organizations/:id", ...organizations("update"))
  .patch("/api/v1/organizations/:id", ...organizations("patch"))
  .delete("/api/v1/organizations/:id", ...organizationStates("remove"))
  .post("/api/v1/organizations/:id/suspend", ...organizationStates("suspend"))
  .post("/api/v1/organizations/:id/resume", ...organizationStates("resume"))
  .get("/api/v1/organizations/:id/usage", ...organizationUsage("readUsage"))
  .put("/api/v1/organizations/:id/history", ...historyOfOrganization("setHistory"))
  .get("/api/v1/networks", ...networks("list"))
  .post("/api/v1/networks", ...networks("create"))
  .post("/api/v1/networks/bulk", ...networks("createMany"))
  .patch("/api/v1/networks/bulk", ...networks("patchMany"))
  .post("/api/v1/networks/bulk-delete", ...networks("deleteMany"))
  .put("/api/v1/networks/by-external-id/:external_id", ...networks("upsert"))
  .get("/api/v1/networks/:id", ...networks("read"))
  .put("/api/v1/networks/:id", ...networks("update"))
  .patch("/api/v1/networks/:id", ...networks("patch"))
  .delete("/api/v1/networks/:id", ...networks("deleteOne"))
  .post("/api/v1/networks/:id/imports", ...imports("createImport"))
  .get("/api/v1/tags", ...tags("list"))
  .post("/api/v1/tags", ...tags("create"))
  .post("/api/v1/tags/bulk", ...tags("createMany"))
  .patch("/api/v1/tags/bulk", ...tags("patchMany"))
  .post("/api/v1/tags/bulk-delete", ...tags("deleteMany"))
  .put("/api/v1/tags/assign", ...tagAssignment("assignTags"))
  .post("/api/v1/tags/assign/bulk-add", ...tagAssignment("addTagToRecords"))
  .post("/api/v1/tags/assign/bulk-remove", ...tagAssignment("removeTagFromRecords"))
  .put("/api/v1/tags/by-external-id/:external_id", ...tags("upsert"))
  .get("/api/v1/tags/:id", ...tags("read"))
  .put("/api/v1/tags/:id", ...tags("update"))
  .patch("/api/v1/tags/:id", ...tags("patch"))
  .delete("/api/v1/tags/:id", ...tags("deleteOne"))
  .get("/api/v1/credentials", ...credentials("list"))
  .post("/api/v1/credentials", ...credentials("create"))
  .post("/api/v1/credentials/bulk", ...credentials("createMany"))
  .patch("/api/v1/credentials/bulk", ...credentials("patchMany"))
  .post("/api/v1/credentials/bulk-delete", ...credentials("deleteMany"))
  .put("/api/v1/credentials/by-external-id/:external_id", ...credentials("upsert"))
  .get("/api/v1/credentials/:id", ...credentials("read"))
  .put("/api/v1/credentials/:id", ...credentials("update"))
  .patch("/api/v1/credentials/:id", ...credentials("patch"))
  .delete("/api/v1/credentials/:id", ...credentials("deleteOne"))
  .get("/api/v1/daemons", ...daemons("list"))
  .post("/api/v1/daemons/provision", ...provisioning("provisionDaemon"))
  .post("/api/v1/daemons/test-reachability", ...reachability("testReachability"))
  .patch("/api/v1/daemons/bulk", ...daemons("patchMany"))
  .post("/api/v1/daemons/bulk-delete", ...daemons("deleteMany"))
  .put("/api/v1/daemons/by-external-id/:external_id", ...daemonUpsert("upsert"))
  .get("/api/v1/daemons/:id", ...daemons("read"))
  .put("/api/v1/daemons/:id", ...daemons("update"))
  .patch("/api/v1/daemons/:id", ...daemons("patch"))
  .delete("/api/v1/daemons/:id", ...daemons("deleteOne"))
  .post("/api/v1/daemons/:id/retry-connection", ...connections("retryDaemonConnection"))
  .post("/api/v1/daemons/:id/scan", ...scans("scanNetwork"))
  .get("/api/v1/discovery/sessions", ...sessions("list"))
  .get("/api/v1/discovery/sessions/:id", ...sessions("read"))
  .post("/api/v1/discovery/sessions/:id/cancel", ...cancellation("cancelSession"))
  .get("/api/v1/subnets", ...subnets("list"))
  .post("/api/v1/subnets", ...subnets("create"))
  .post("/api/v1/subnets/bulk", ...subnets("createMany"))
  .patch("/api/v1/subnets/bulk", ...subnets("patchMany"))
  .post("/api/v1/subnets/bulk-delete", ...subnets("deleteMany"))
  .put("/api/v1/subnets/by-external-id/:external_id", ...subnets("upsert"))
  .get("/api/v1/subnets/:id", ...subnets("read"))
  .put("/api/v1/subnets/:id", ...subnets("update"))
  .patch("/api/v1/subnets/:id", ...subnets("patch"))
  .delete("/api/v1/subnets/:id", ...subnets("deleteOne"))
  .get("/api/v1/subnets/:id/available-ips", ...availableIps("listAvailable"))
  .post("/api/v1/subnets/:id/available-ips", ...availableIps("takeAvailable"))
  .get("/api/v1/subnets/:id/timeline", ...timelines("subnets"))
  .get("/api/v1/hosts", ...hosts("list"))
  .post("/api/v1/hosts", ...hosts("create"))
  .post("/api/v1/hosts/bulk", ...hosts("createMany"))
  .patch("/api/v1/hosts/bulk", ...hosts("patchMany"))
  .post("/api/v1/hosts/bulk-delete", ...hosts("deleteMany"))
  .put("/api/v1/hosts/by-external-id/:external_id", ...hosts("upsert"))
  .get("/api/v1/hosts/:id", ...hosts("read"))
  .put("/api/v1/hosts/:id", ...hosts("update"))
  .patch("/api/v1/hosts/:id", ...hosts("patch"))
  .delete("/api/v1/hosts/:id", ...hosts("deleteOne"))
  .post("/api/v1/hosts/:id/imports", ...imports("createHostImport"))
  .post("/api/v1/hosts/:id/rescan", ...rescans("rescanHost"))
  .get("/api/v1/hosts/:id/timeline", ...timelines("hosts"))
  .put("/api/v1/hosts/:id/consolidate/:other_id", ...consolidation("consolidateHosts"))
  .get("/api/v1/ip-addresses", ...ipAddresses("list"))
  .post("/api/v1/ip-addresses", ...ipAddresses("create"))
  .post("/api/v1/ip-addresses/bulk", ...ipAddresses("createMany"))
  .patch("/api/v1/ip-addresses/bulk", ...ipAddresses("patchMany"))
  .post("/api/v1/ip-addresses/bulk-delete", ...ipAddresses("deleteMany"))
  .get("/api/v1/ip-addresses/:id", ...ipAddresses("read"))
  .put("/api/v1/ip-addresses/:id", ...ipAddresses("update"))
  .patch("/api/v1/ip-addresses/:id", ...ipAddresses("patch"))
  .delete("/api/v1/ip-addresses/:id", ...ipAddresses("deleteOne"))
  .get("/api/v1/ip-addresses/:id/timeline", ...timelines("ipAddresses"))
  .get("/api/v1/interfaces", ...interfaces("list"))
  .post("/api/v1/interfaces", ...interfaces("create"))
  .post("/api/v1/interfaces/bulk", ...interfaces("createMany"))
  .patch("/api/v1/interfaces/bulk", ...interfaces("patchMany"))
  .post("/api/v1/interfaces/bulk-delete", ...interfaces("deleteMany"))
  .get("/api/v1/interfaces/:id", ...interfaces("read"))
  .put("/api/v1/interfaces/:id", ...interfaces("update"))
  .patch("/api/v1/interfaces/:id", ...interfaces("patch"))
  .delete("/api/v1/interfaces/:id", ...interfaces("deleteOne"))
  .get("/api/v1/interfaces/:id/timeline", ...timelines("interfaces"))
  .get("/api/v1/neighbors", ...neighbors("list"))
  .post("/api/v1/neighbors", ...neighbors("create"))
  .post("/api/v1/neighbors/bulk", ...neighbors("createMany"))
  .patch("/api/v1/neighbors/bulk", ...neighbors("patchMany"))
  .post("/api/v1/neighbors/bulk-delete", ...neighbors("deleteMany"))
  .get("/api/v1/neighbors/:id", ...neighbors("read"))
  .put("/api/v1/neighbors/:id", ...neighbors("update"))
  .patch("/api/v1/neighbors/:id", ...neighbors("patch"))
  .delete("/api/v1/neighbors/:id", ...neighbors("deleteOne"))
  .get("/api/v1/neighbors/:id/timeline", ...timelines("neighbors"))
  .get("/api/v1/ports", ...ports("list"))
  .post("/api/v1/ports", ...ports("create"))
  .post("/api/v1/ports/bulk", ...ports("createMany"))
  .patch("/api/v1/ports/bulk", ...ports("patchMany"))
  .post("/api/v1/ports/bulk-delete", ...ports("deleteMany"))
  .get("/api/v1/ports/:id", ...ports("read"))
  .put("/api/v1/ports/:id", ...ports("update"))
  .patch("/api/v1/ports/:id", ...ports("patch"))
  .delete("/api/v1/ports/:id", ...ports("deleteOne"))
  .get("/api/v1/ports/:id/timeline", ...timelines("ports"))
  .get("/api/v1/services", ...services("list"))
  .post("/api/v1/services", ...services("create"))
  .post("/api/v1/services/bulk", ...services("createMany"))
  .patch("/api/v1/services/bulk", ...services("patchMany"))
  .post("/api/v1/services/bulk-delete", ...services("deleteMany"))
  .put("/api/v1/services/by-external-id/:external_id", ...services("upsert"))
  .get("/api/v1/services/:id", ...services("read"))
  .put("/api/v1/services/:id", ...services("update"))
  .patch("/api/v1/services/:id", ...services("patch"))
  .delete("/api/v1/services/:id", ...services("deleteOne"))
  .get("/api/v1/services/:id/timeline", ...timelines("services"))
  .get("/api/v1/changes", ...changes("listChanges"))
  .get("/api/v1/changes/histogram", ...histogram("showHistogram"))
  .get("/api/v1/diff", ...diff("showDiff"))
  .get("/api/v1/audit", ...audit("listAudit"))
  .get("/api/v1/search", ...search("search"))
  .get("/api/v1/summary", ...summary("readSummary"))
  .get("/api/v1/topology", ...topology("readTopology"))
  .get("/api/v1/topology/data", ...topologyViews("readTopologyData"))
  .get("/api/v1/topology/:id/export/mermaid", ...topologyViews("exportMermaid"))
  .get("/api/v1/topologies", ...topologies("listTopologies"))
  .get("/api/v1/vlans", ...vlans("listVlans"))
  .get("/api/v1/exports/prometheus", ...exports("prometheus"))
  .get("/api/v1/exports/ansible", ...exports("ansible"))
  .get("/api/v1/exports/oxidized", ...exports("oxidized"))
  .get("/api/v1/exports/hosts", ...exports("hostsFile"))
  .get("/api/v1/webhooks", ...webhooks("list"))
  .post("/api/v1/webhooks", ...webhookCreation("createWebhook"))
  .post("/api/v1/webhooks/bulk-delete", ...webhooks("deleteMany"))
  .get("/api/v1/webhooks/:id", ...webhooks("read"))
  .put("/api/v1/webhooks/:id", ...webhooks("update"))
  .patch("/api/v1/webhooks/:id", ...webhooks("patch"))
  .delete("/api/v1/webhooks/:id", ...webhooks("deleteOne"))
  .post("/api/v1/webhooks/:id/rotate", ...webhookRotation("rotateWebhookSecret"))
  .post("/api/v1/webhooks/:id/test", ...receiverTrial("tryReceiver"))
  .post("/api/v1/webhooks/:id/replay", ...webhookReplay("replayWebhook"))
  .get("/api/v1/webhooks/:id/deliveries", ...deliveries("listDeliveries"))
  .post("/api/v1/webhooks/:id/deliveries/:delivery_id/retry", ...deliveryRetry("retryDelivery"))
  .get("/api/v1/auth/daemon", ...emptyLists("listDaemonKeys"))
  .get("/api/v1/dependencies", ...emptyLists("listDependencies"))
  .get("/api/v1/discovery", ...emptyLists("listDiscoveries"))
  .get("/api/v1/if-entries", ...ifEntries("listIfEntries"))
  .get("/api/v1/bindings", ...bindings("list"))
  .post("/api/v1/bindings", ...bindings("create"))
  .post("/api/v1/bindings/bulk", ...bindings("createMany"))
  .patch("/api/v1/bindings/bulk", ...bindings("patchMany"))
  .post("/api/v1/bindings/bulk-delete", ...bindings("deleteMany"))
  .get("/api/v1/bindings/:id", ...bindings("read"))
  .put("/api/v1/bindings/:id", ...bindings("update"))
  .patch("/api/v1/bindings/:id", ...bindings("patch"))
  .delete("/api/v1/bindings/:id", ...bindings("deleteOne"))
  .get("/api/v1/bindings/:id/timeline", ...timelines("bindings"));

/** The type of the API for Hono's client `hc`, with every possible response of each operation. */
export type App = ApplyGlobalResponse<
  typeof app,
  {
    500: { json: FailureBody<"internal_error"> };
    503: { json: FailureBody<"service_unavailable"> };
  }
>;
