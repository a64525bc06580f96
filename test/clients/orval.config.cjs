// In CommonJS, since orval does not read a module's default export.
const { DOCUMENT: input, FOLDER: folder, SERVICE: baseUrl } = process.env;
const output = { mode: "single", baseUrl };

module.exports = {
  client: { input, output: { ...output, client: "fetch", target: `${folder}/api.ts` } },
  schemas: { input, output: { ...output, client: "zod", target: `${folder}/zod.ts` } },
};
