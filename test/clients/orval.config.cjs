// In CommonJS, as orval does not read the default export of a module.
const input = process.env["DOCUMENT"];
const output = { mode: "single", baseUrl: process.env["SERVICE"] };

module.exports = {
  client: { input, output: { ...output, client: "fetch", target: "generated/orval/api.ts" } },
  schemas: { input, output: { ...output, client: "zod", target: "generated/orval/zod.ts" } },
};
