/** The sealing key of local development. Everybody can read it, so production refuses it. */
export const demoSealingKeys = "demo:ZGVtby1zZWFsaW5nLWtleS1ub3QtZm9yLXNlY3JldHM=";
