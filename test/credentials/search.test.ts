import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { credentialsIn } from "../helpers/credentials.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";

const api = openApi();

test.each(["", "&limit=0"])(
  "ids and q filter credentials by id and by part of the name (%s)",
  async (form) => {
    const { id: organization, keys } = await mintOrganization();
    const names = ["Core switches", "core routers", "Printers"];
    const ids: string[] = [];
    for (const name of names) {
      ids.push(await mintCredential(organization, { name }));
    }
    const found = async (query: string) =>
      credentialsIn(
        await api.send("GET", `/api/v1/credentials?order_by=name&${query}${form}`, {
          key: keys.viewer,
        }),
      ).map(({ name }) => name);
    const [core, routers, printers] = ids;
    expect(await found(`ids=${printers}`)).toEqual(["Printers"]);
    expect(await found(`ids=${core}&ids=${printers?.toUpperCase()}`)).toEqual([
      "Core switches",
      "Printers",
    ]);
    expect(await found(`ids=${crypto.randomUUID()}`)).toEqual([]);
    expect(await found("q=CORE")).toEqual(["Core switches", "core routers"]);
    expect(await found(`q=${routers}`)).toEqual(["core routers"]);
    expect(await found("q=snmp")).toEqual([]);
    expect(await found(`q=core&ids=${routers}`)).toEqual(["core routers"]);
  },
);
