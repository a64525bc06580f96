// Starts the reference. Nothing is asked of other hosts: no fonts, no proxy, no telemetry, no agent.
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
