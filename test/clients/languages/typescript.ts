import demo from "../../../drizzle/demo.json" with { type: "json" };
import { camelCase, type Kind, kinds, pascalCase } from "../records.ts";

/**
 * Programs for generated TypeScript clients. Each creates, reads, lists, updates and deletes a
 * record of every kind. The update sends the record as it was read, so the program compiles only if
 * the types agree. Then a Viewer's request is rejected, and the error code narrows the type of the
 * parameters.
 */

const start = (imports: string) => `${imports}
function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(what);
}
const service = process.env["SERVICE"] ?? "";
const keys = { owner: ${JSON.stringify(demo.keys.owner)}, viewer: ${JSON.stringify(demo.keys.viewer)} };
const organization = { id: ${JSON.stringify(demo.organization.id)}, name: ${JSON.stringify(demo.organization.name)} };
`;

const part = ({ within }: Kind) => (within === null ? "" : `.${within}`);
const example = (kind: Kind) => JSON.stringify(kind.example);

export const heyApi = () => `${start(`import { createClient } from "./client/index.ts";
import * as api from "./index.ts";`)}
const client = createClient({ baseUrl: service, auth: keys.owner, throwOnError: true });
${kinds
  .map((kind) => {
    const name = ({ operationId }: { operationId: string }) => `api.${camelCase(operationId)}`;
    return `{
  const created = await ${name(kind.create)}({ client, throwOnError: true, body: ${example(kind)} });
  const path = { id: created.data.data${part(kind)}.id };
  const read = await ${name(kind.read)}({ client, throwOnError: true, path });
  const listed = await ${name(kind.list)}({ client, throwOnError: true, query: { limit: 1000 } });
  assert(listed.data.data.some(({ id }) => id === path.id), "listed");
  const updated = await ${name(kind.update)}({ client, throwOnError: true, path, body: read.data.data });
  assert(updated.data.data.id === path.id, "updated");
  await ${name(kind.delete)}({ client, throwOnError: true, path });
}`;
  })
  .join("\n")}
const viewer = createClient({ baseUrl: service, auth: keys.viewer });
const refused = await api.updateOrgName({ client: viewer, path: organization, body: organization.name });
assert(refused.error?.code === "auth_permission_denied", "refused");
assert(refused.error.params.required_role === "Owner", "required_role");
`;

export const orval = () => `${start(`import * as api from "./api.ts";
import * as zod from "./zod.ts";`)}
const as = (key: string) => ({ headers: { Authorization: \`Bearer \${key}\`, "Content-Type": "application/json" } });
const owner = as(keys.owner);
${kinds
  .map((kind) => {
    const name = ({ operationId }: { operationId: string }) => `api.${camelCase(operationId)}`;
    const parsed = ({ operationId }: { operationId: string }) =>
      `zod.${camelCase(operationId)}Response`;
    return `{
  const created = await ${name(kind.create)}(${example(kind)}, owner);
  assert(created.status === 201, "created");
  const { id } = created.data.data${part(kind)};
  const read = await ${name(kind.read)}(id, owner);
  assert(read.status === 200, "read");
  ${parsed(kind.read)}.parse(read.data);
  const listed = await ${name(kind.list)}({ limit: 1000 }, owner);
  assert(listed.status === 200 && listed.data.data.some((one) => one.id === id), "listed");
  ${parsed(kind.list)}.parse(listed.data);
  const updated = await ${name(kind.update)}(id, read.data.data, owner);
  assert(updated.status === 200, "updated");
  const deleted = await ${name(kind.delete)}(id, ${kind.delete.hasQuery ? "undefined, " : ""}owner);
  assert(deleted.status === 200, "deleted");
}`;
  })
  .join("\n")}
const refused = await api.updateOrgName(organization.id, organization.name, as(keys.viewer));
assert(refused.status === 403 && refused.data.code === "auth_permission_denied", "refused");
assert(refused.data.params.required_role === "Owner", "required_role");
`;

export const typescriptFetch = (
  naming: "original" | "camelCase",
) => `${start('import * as api from "./index";')}
const as = (accessToken: string) => new api.Configuration({ basePath: service, accessToken });
async function main() {
const owner = as(keys.owner);
${kinds
  .map((kind) => {
    const call = ({ operationId }: { operationId: string }) => `records.${camelCase(operationId)}`;
    return `{
  const records = new api.${pascalCase(kind.tag)}Api(owner);
  const created = await ${call(kind.create)}({ ${camelCase(kind.create.body)}: api.${kind.create.body}FromJSON(${example(kind)}) });
  const { id } = created.data${naming === "camelCase" ? camelCase(part(kind)) : part(kind)};
  const read = await ${call(kind.read)}({ id });
  const listed = await ${call(kind.list)}({ limit: 1000 });
  assert(listed.data.some((one) => one.id === id), "listed");
  const updated = await ${call(kind.update)}({ id, ${camelCase(kind.update.body)}: read.data });
  assert(updated.data.id === id, "updated");
  await ${call(kind.delete)}({ id });
}`;
  })
  .join("\n")}
const rename = new api.OrganizationsApi(as(keys.viewer));
const refused = await rename.updateOrgName({ id: organization.id, organizationRename: organization.name }).catch((error) => error);
assert(refused instanceof api.ResponseError && refused.response.status === 403, "refused");
}
void main();
`;
