// The members of a record as the library has them: what may be missing is null there, and absent here.

export type Fields = Readonly<Record<string, unknown>>;

export function withNulls(members: Readonly<Record<string, unknown>>): Fields {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value ?? null]));
}

export function optional<Name extends string>(
  fields: Fields,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  return Object.fromEntries(
    names.flatMap((name) => (typeof fields[name] === 'string' ? [[name, fields[name]]] : [])),
  ) as Partial<Record<Name, string>>;
}
