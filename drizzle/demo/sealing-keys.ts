/** The public sealing key of local development. Production rejects it. */
export const demoSealingKeys = "demo:ZGVtby1zZWFsaW5nLWtleS1ub3QtZm9yLXNlY3JldHM=";
