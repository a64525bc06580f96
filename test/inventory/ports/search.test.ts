import { expect, test } from "vitest";
import { openInventory } from "../../helpers/inventory.ts";

test("q finds ports by number, with the protocol in either case if it is given", async () => {
  const { create, list } = await openInventory();
  await create("hosts", {
    name: "resolver",
    ports: [
      { number: 53, protocol: "Tcp" },
      { number: 53, protocol: "Udp" },
      { number: 5353, protocol: "Udp" },
    ],
  });
  const found = async (q: string) =>
    (await list("ports", { q })).map(({ number, protocol }) => `${number}/${protocol}`).sort();
  expect(await found("53")).toEqual(["53/Tcp", "53/Udp"]);
  for (const text of ["53/Udp", "53/udp", "53/UDP", " 53/udp "]) {
    expect(await found(text), text).toEqual(["53/Udp"]);
  }
  for (const text of ["5", "53/", "53/sctp", "/udp", "053", "65536", "53/udp/", "udp"]) {
    expect(await found(text), text).toEqual([]);
  }
});
