import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import { filePath, inline, putCredential, updateOf } from "../helpers/credentials.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import { pem } from "../helpers/pem.ts";
import { rowsHolding } from "../helpers/rows.ts";

const secretOf = (name: string) => `${name}-${crypto.randomUUID()}`;

// The test is slow, because it reads every row of the database that all tests share.
test("no secret is in the database, a response or the log, whether the request succeeded or failed", async () => {
  const logged = recordConsole();
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const secrets: string[] = [pem.pkcs8Key];
  const secret = (name: string) => {
    const text = secretOf(name);
    secrets.push(text);
    return inline(text);
  };
  const snmpV3 = () => ({
    type: "SnmpV3",
    security_name: "inventory",
    auth_protocol: "Sha1",
    auth_password: secret("auth"),
    priv_protocol: "Aes128",
    priv_password: secret("priv"),
  });
  const texts: string[] = [];
  const send = async (
    status: number,
    changes: Record<string, unknown>,
    { to = id, key = keys.admin, through = api } = {},
  ) => {
    const answer = await putCredential(through, key, to, updateOf(organization_id, changes));
    expect(answer).toMatchObject({ status });
    texts.push(answer.text, JSON.stringify([...answer.headers]));
  };

  await send(200, { credential_type: { type: "SnmpV1", community: secret("community") } });
  await send(200, { credential_type: { type: "SnmpV2c", community: secret("community") } });
  await send(200, { credential_type: { type: "DockerProxy", ssl_key: inline(pem.pkcs8Key) } });
  await send(200, { credential_type: snmpV3() });
  await send(400, { name: "", credential_type: snmpV3() });
  await send(400, { credential_type: { ...snmpV3(), priv_protocol: secret("misplaced").value } });
  await send(400, { credential_type: { type: "SnmpV1", community: secret("c").value } });
  await send(400, {
    credential_type: { type: "SnmpV1", community: { ...secret("c"), mode: "X" } },
  });
  await send(400, { credential_type: { type: "DockerProxy", ssl_cert: inline(pem.pkcs8Key) } });
  await send(400, {
    credential_type: { type: "DockerProxy", ssl_key: inline(pem.certificate + pem.pkcs8Key) },
  });
  await send(400, { tags: [crypto.randomUUID()], credential_type: snmpV3() });
  await send(403, { credential_type: snmpV3() }, { key: keys.member });
  await send(404, { credential_type: snmpV3() }, { to: crypto.randomUUID() });
  const broken = openApi();
  for (const code of ["XX000", "40001", "23514", "42601"]) {
    const message = secretOf("the database's own words");
    secrets.push(message);
    await broken.disturb({ faults: [{ kind: "sqlstate", code, message }] });
    const status = { XX000: 503, "40001": 409 }[code] ?? 500;
    await send(status, { credential_type: snmpV3() }, { through: broken });
  }
  await send(200, {
    credential_type: {
      ...snmpV3(),
      auth_password: filePath("/etc/auth"),
    },
  });
  for (const query of ["", "?limit=0"]) {
    texts.push((await api.send("GET", `/api/v1/credentials${query}`, { key: keys.viewer })).text);
  }

  expect(await rowsHolding(secrets)).toEqual([]);
  expect(await rowsHolding(["/etc/auth"])).toContainEqual(
    expect.objectContaining({ table: "credentials" }),
  );
  const log = logged();
  expect(log).toContain('"route":"/api/v1/credentials/:id"');
  const lines = secrets.flatMap((text) => text.split("\n")).filter((line) => line.length > 20);
  for (const line of lines.filter((line) => !line.startsWith("-----"))) {
    expect(texts.join("\n")).not.toContain(line);
    expect(log).not.toContain(line);
  }
}, 120_000);
