import { services } from "../../database/tables/index.ts";

/** The columns of a service whose length varies. */
export const serviceTexts = [
  services.name,
  services.service_definition,
  services.version,
  services.virtualization,
];
