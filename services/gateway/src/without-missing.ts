type Present<Members> = { [Name in keyof Members]: Exclude<Members[Name], undefined> };

/** Members that are undefined count as missing. */
export function withoutMissing<Members extends object>(members: Members): Present<Members> {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Present<Members>;
}
