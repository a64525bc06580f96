/** The names of an object's properties. The object is a constant with no others than its type lists. */
export const namesOf = <Name extends string>(object: Readonly<Record<Name, unknown>>): Name[] =>
  // `Object.keys` returns strings, as an object can have more properties than its type.
  Object.keys(object) as Name[];

/** An object of the same names, with a value made from each. */
export const mapValues = <Name extends string, From, To>(
  object: Readonly<Record<Name, From>>,
  transform: (from: From) => To,
): Record<Name, To> =>
  // `Object.fromEntries` loses the names.
  Object.fromEntries(namesOf(object).map((name) => [name, transform(object[name])])) as Record<
    Name,
    To
  >;
