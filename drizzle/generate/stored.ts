import type { StoredStatement } from "../../src/database/stored-statement.ts";

/** Returns the SQL that creates the function of a stored statement. */
export const storedFunction = ({ name, text }: StoredStatement): string => `\
call app.store_statement('${name}', $statement$
${text}
$statement$);

grant execute on function app.${name} to inventory_api;
`;
