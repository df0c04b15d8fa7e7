// A request that is no object is taken for an empty one, which is refused by the member that it lacks: a
// program in plain JavaScript hears what is wrong, and not that something is null.

type Act = (...args: readonly unknown[]) => unknown;

/** Where a request is not what comes first. */
const placeOf: Readonly<Record<string, number>> = {
  report: 1,
  events: 1,
  step: 1,
  compensate: 1,
};

/** Without a request, or with a default for it. */
const asTheyAre: ReadonlySet<string> = new Set([
  'load',
  'rest',
  'sideEntries',
  'pauses',
  'complete',
  'fail',
  'show',
]);

export function requestsAsObjects<Methods extends object>(methods: Methods): Methods {
  const guarded = Object.entries(methods).map(([name, method]): readonly [string, Act] => {
    const act = method as Act;
    if (asTheyAre.has(name)) return [name, act];
    const place = placeOf[name] ?? 0;
    return [
      name,
      (...args) => {
        const given = args[place];
        if (typeof given === 'object' && given !== null) return act(...args);
        return act(...args.slice(0, place), {}, ...args.slice(place + 1));
      },
    ];
  });
  return Object.fromEntries(guarded) as Methods;
}
