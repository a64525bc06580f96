import { apiKeyResource } from "./api-keys/model.ts";
import { webhookResource } from "./changes/webhooks/model.ts";
import { credentialResource } from "./credentials/model.ts";
import { daemonResource } from "./daemons/model.ts";
import { sessionResource } from "./daemons/sessions/model.ts";
import {
  type Collection,
  type Columns,
  recordStatement,
  smallRecordStatement,
} from "./database/collection.ts";
import type { StoredStatement } from "./database/stored-statement.ts";
import {
  firstPageStatement,
  nextPageStatement,
  type StoredList,
} from "./http/list/stored-pages.ts";
import { bindingResource } from "./inventory/bindings/model.ts";
import { hostResource } from "./inventory/hosts/model.ts";
import { interfaceResource } from "./inventory/interfaces/model.ts";
import { ipAddressResource } from "./inventory/ip-addresses/model.ts";
import { neighborResource } from "./inventory/neighbors/model.ts";
import { portResource } from "./inventory/ports/model.ts";
import { serviceResource } from "./inventory/services/model.ts";
import { subnetResource } from "./inventory/subnets/model.ts";
import { networkResource } from "./networks/model.ts";
import { organizationResource } from "./organizations/model.ts";
import { tagResource } from "./tags/model.ts";

type Readable = Collection & { inParts?: { head: Columns } };

const lists: readonly (Readable & StoredList)[] = [
  apiKeyResource,
  bindingResource,
  credentialResource,
  daemonResource,
  hostResource,
  interfaceResource,
  ipAddressResource,
  neighborResource,
  networkResource,
  portResource,
  serviceResource,
  sessionResource,
  subnetResource,
  tagResource,
  webhookResource,
];

const resources: readonly Readable[] = [...lists, organizationResource];

/**
 * The statements that Workers of this version call as functions. `npm run migrate` creates these
 * functions.
 */
export const storedStatements = (): StoredStatement[] => [
  ...resources.flatMap((resource) => [
    recordStatement(resource),
    ...(resource.inParts
      ? [
          smallRecordStatement(resource),
          recordStatement({ ...resource, columns: resource.inParts.head }),
        ]
      : []),
  ]),
  ...lists.flatMap((resource) => [firstPageStatement(resource), nextPageStatement(resource)]),
];
