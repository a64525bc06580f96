import demo from "../demo.json" with { type: "json" };

const unreachable = demo.daemons.find((daemon) => daemon.is_unreachable);
const bearer = (key: string) => `-H 'Authorization: Bearer ${key}'`;

/** The output of `npm run dev` once it is ready: requests to paste. */
export const demoRequests = (address: string, folder: string) => `
The network at any instant, in a browser: ${address}/explore

Network Inventory API is ready at ${address}

  The organization's credentials:
    curl ${address}/api/v1/credentials ${bearer(demo.keys.viewer)}

  What listened where on 1 April 2025:
    curl '${address}/api/v1/bindings?at=2025-04-01T00:00:00Z&limit=3' ${bearer(demo.keys.viewer)}

  Why a daemon is unreachable, and how to contact it again:
    curl ${address}/api/v1/daemons/${unreachable?.id} ${bearer(demo.keys.viewer)}
    curl -X POST ${address}/api/v1/daemons/${unreachable?.id}/retry-connection ${bearer(demo.keys.member)}

  Rename the organization:
    curl -X PUT ${address}/api/v1/organizations/${demo.organization.id} ${bearer(demo.keys.owner)} -H 'Content-Type: application/json' -d '"${demo.organization.name}"'

  As the operator of the service, list all organizations:
    curl '${address}/api/v1/organizations?all=true' ${bearer(demo.operator_key.key)}

Keys and ids are in drizzle/demo.json, data in ${folder}. Ctrl-C stops everything.
`;
