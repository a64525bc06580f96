/**
 * An object's property names. The object must be a constant that has only the properties of its
 * type.
 */
export const namesOf = <Name extends string>(object: Readonly<Record<Name, unknown>>): Name[] =>
  // `Object.keys` returns strings, because an object can have more properties than its type.
  Object.keys(object) as Name[];

/** Returns an object with the same names and transformed values. */
export const mapValues = <Name extends string, From, To>(
  object: Readonly<Record<Name, From>>,
  transform: (from: From) => To,
): Record<Name, To> =>
  // The type that `Object.fromEntries` returns does not contain the names.
  Object.fromEntries(namesOf(object).map((name) => [name, transform(object[name])])) as Record<
    Name,
    To
  >;
