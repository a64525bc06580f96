import { services } from "../../database/tables/index.ts";

/** What of a service is as long as somebody has written it. */
export const serviceTexts = [
  services.name,
  services.service_definition,
  services.version,
  services.virtualization,
];
