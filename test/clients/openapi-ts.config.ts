/** For hey-api: Node runs what it writes, so imports have extensions. */
// biome-ignore lint/style/noDefaultExport: openapi-ts reads it.
export default {
  input: process.env["DOCUMENT"] ?? "",
  output: { path: process.env["FOLDER"] ?? "", module: { extension: ".ts" } },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
  logs: { file: false },
};
