type Present<Members> = { [Name in keyof Members]: Exclude<Members[Name], undefined> };

/** Members that are undefined count as missing. */
export function withoutMissing<Members extends object>(members: Members): Present<Members> {
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) given[name] = value;
  return given as Present<Members>;
}
