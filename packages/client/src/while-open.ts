// A ledger that has been closed says so, whatever is asked of it, and never answers from what it still
// remembers. While it closes, it answers what it can. A request that is no object is taken for an empty
// one, which is refused by the member that it lacks.
import { type Ledger } from '@action-ledger/application';
import { LedgerError } from './ledger-error.ts';

export type Openness = 'open' | 'closing' | 'closed';

type Method = Exclude<keyof Ledger, 'close' | 'workflows' | 'callers'>;
type Act = (...args: readonly unknown[]) => unknown;

interface Kind {
  /** A promise is rejected; in place of a value the error is thrown. */
  readonly gives: 'promise' | 'value';
  /** Which argument is a request. */
  readonly request?: number;
}

const request: Kind = { gives: 'promise', request: 0 };
const promise: Kind = { gives: 'promise' };
const value: Kind = { gives: 'value' };

const methods: Readonly<Record<Method, Kind>> = {
  propose: request,
  vote: request,
  cancel: request,
  settle: request,
  repeat: request,
  edit: request,
  report: { gives: 'promise', request: 1 },
  reportAbout: request,
  waitingReports: value,
  pause: request,
  resume: request,
  pauses: value,
  observes: value,
  observed: value,
  closeIncident: request,
  checkNow: request,
  explain: request,
  load: promise,
  rest: promise,
  list: { gives: 'value', request: 0 },
  unknowns: { gives: 'value', request: 0 },
  ownerOfExternalId: value,
  openActions: value,
  sideEntries: value,
  gauges: value,
  sweep: value,
};

export function whileOpen(core: Ledger, openness: () => Openness): Ledger {
  const acts = core as unknown as Readonly<Record<Method, Act>>;
  const guarded = Object.entries(methods).map(([name, kind]) => {
    const act = withRequest((...args) => acts[name as Method](...args), kind.request);
    return [name, kind.gives === 'promise' ? later(act, openness) : now(act, openness)] as const;
  });
  return {
    ...core,
    ...(Object.fromEntries(guarded) as unknown as Pick<Ledger, Method>),
    workflows: guardedDoor(core.workflows, workflowMethods, openness),
    callers: guardedDoor(core.callers, callerMethods, openness),
  };
}

const workflowMethods: Readonly<Record<keyof Ledger['workflows'], Kind>> = {
  start: request,
  step: { gives: 'promise', request: 1 },
  complete: promise,
  fail: promise,
  rest: promise,
  show: promise,
  list: value,
  compensate: { gives: 'promise', request: 1 },
};

const callerMethods: Readonly<Record<keyof Ledger['callers'], Kind>> = {
  tools: value,
  register: request,
  propose: request,
  take: promise,
  extend: request,
  outcome: request,
  work: request,
  verdict: request,
};

function guardedDoor<Door extends object>(
  door: Door,
  kinds: Readonly<Record<keyof Door & string, Kind>>,
  openness: () => Openness,
): Door {
  const acts = door as unknown as Readonly<Record<string, Act>>;
  const guarded = Object.entries<Kind>(kinds).map(([name, kind]) => {
    const act = withRequest((...args) => acts[name]?.(...args), kind.request);
    return [name, kind.gives === 'promise' ? later(act, openness) : now(act, openness)] as const;
  });
  return Object.fromEntries(guarded) as unknown as Door;
}

function withRequest(act: Act, place: number | undefined): Act {
  if (place === undefined) return act;
  return (...args) => {
    const given = args[place];
    if (typeof given === 'object' && given !== null) return act(...args);
    return act(...args.slice(0, place), {}, ...args.slice(place + 1));
  };
}

function later(act: Act, openness: () => Openness): Act {
  return (...args) => (openness() === 'closed' ? Promise.reject(closed()) : act(...args));
}

function now(act: Act, openness: () => Openness): Act {
  return (...args) => {
    if (openness() === 'closed') throw closed();
    try {
      return act(...args);
    } catch (error) {
      throw openness() === 'open' ? error : closed(error);
    }
  };
}

function closed(cause?: unknown): LedgerError {
  return new LedgerError(
    'ledger.closed',
    'The ledger is closed. Open it again with createLedger.',
    cause === undefined ? undefined : { cause },
  );
}
