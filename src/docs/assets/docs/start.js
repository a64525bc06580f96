// Starts the reference without requests to other hosts: no fonts, proxy, telemetry or agent.
const { key } = document.currentScript.dataset;

Scalar.createApiReference("#reference", {
  url: "/openapi.json",
  title: "Network Inventory API",
  withDefaultFonts: false,
  proxyUrl: "",
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  defaultOpenAllTags: true,
  hideModels: true,
  authentication: {
    preferredSecurityScheme: "apiKey",
    ...(key && { securitySchemes: { apiKey: { token: key } } }),
  },
});
