// The members of a record as the library has them: what may be missing is null there, and absent here.

export type Fields = Readonly<Record<string, unknown>>;

/** @param members made for this call: they are changed in place, since a copy is felt with every record */
export function withNulls(members: Record<string, unknown>): Fields {
  for (const name of Object.keys(members)) members[name] ??= null;
  return members;
}

export function optional<Name extends string>(
  fields: Fields,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  return Object.fromEntries(
    names.flatMap((name) => (typeof fields[name] === 'string' ? [[name, fields[name]]] : [])),
  ) as Partial<Record<Name, string>>;
}
