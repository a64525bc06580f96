import { readFileSync, writeFileSync } from "node:fs";

/**
 * Writes the copy of the OpenAPI document that the service sends: the committed document without
 * indentation.
 */
const folder = "src/docs/assets";
const document: unknown = JSON.parse(readFileSync(`${folder}/openapi.json`, "utf8"));
writeFileSync(`${folder}/openapi.min.json`, JSON.stringify(document));
