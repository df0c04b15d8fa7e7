// A promise and the functions that settle it (Promise.withResolvers, which the compiler's library
// does not know yet).
export interface Settling<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

export function settling<Value>(): Settling<Value> {
  let resolve: Settling<Value>['resolve'] = () => undefined;
  let reject: Settling<Value>['reject'] = () => undefined;
  const promise = new Promise<Value>((...both) => {
    [resolve, reject] = both;
  });
  return { promise, resolve, reject };
}
