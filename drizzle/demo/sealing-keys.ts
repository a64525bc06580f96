/** The sealing key of local development. Everybody can read it, so production refuses its name. */
export const demoSealingKeys = "demo:ZGVtby1zZWFsaW5nLWtleS1ub3QtZm9yLXNlY3JldHM=";
