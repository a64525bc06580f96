/** For hey-api: Node runs the generated code, so imports need extensions. */
// biome-ignore lint/style/noDefaultExport: openapi-ts reads it.
export default {
  input: process.env["DOCUMENT"] ?? "",
  output: { path: process.env["FOLDER"] ?? "", module: { extension: ".ts" } },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
  logs: { file: false },
};
