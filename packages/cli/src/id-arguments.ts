// Action ids begin with any base64url character, a dash included: such an id would be taken for an
// option. It is handed on as its stream's name, which means the same.
const idLike = /^-(?!-)[\w-]{5,42}(\.\d{1,9})?$|^--[\w-]{41}\.\d{1,9}$/;

export function idArguments(args: readonly string[]): readonly string[] {
  return args.map((arg) => (idLike.test(arg) ? `action-${arg}` : arg));
}
