/** The public signing key of local development. Production rejects it. */
export const demoSigningKeys =
  "demo:ZGVtby1zaWduaW5nLWtleS1ub3QtZm9yLXNlY3JldHPu8rEvmi6x1FbOSIT9CLnbQEg86cDfVMAqyHXB77EuiQ==";
