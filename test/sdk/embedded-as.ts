// An embedded ledger in the form of a remote one: every read a promise, who asks named with each request, and of
// an action only what callers are shown. What the two have in common is what compiles here.
import {
  type Action,
  type Ledger,
  type Performed,
  type RemoteAction,
  type RemoteLedger,
  type RemotePerformed,
} from '@action-ledger/client';

export type Sdk = Pick<
  RemoteLedger,
  | 'propose'
  | 'explain'
  | 'repeat'
  | 'edit'
  | 'vote'
  | 'cancel'
  | 'settle'
  | 'checkNow'
  | 'closeIncident'
  | 'report'
  | 'reportAbout'
  | 'waitingReports'
  | 'load'
  | 'rest'
  | 'list'
  | 'unknowns'
  | 'sideEntries'
  | 'pauses'
  | 'pause'
  | 'resume'
  | 'tool'
  | 'workflow'
  | 'workflows'
>;

export function embeddedAs(ledger: Ledger, tenant: string, by: string): Sdk {
  const { workflows } = ledger;
  return {
    propose: (proposal) => ledger.propose({ origin: {}, ...proposal, tenant, by }),
    explain: (request) => ledger.explain({ origin: {}, ...request, tenant }),
    repeat: (request) => ledger.repeat({ ...request, tenant, by }),
    edit: (request) => ledger.edit({ ...request, by }),
    vote: async (request) => performed(await ledger.vote({ ...request, voter: by })),
    cancel: async (request) => performed(await ledger.cancel({ ...request, by })),
    settle: async (request) => performed(await ledger.settle({ ...request, by })),
    checkNow: async (request) => performed(await ledger.checkNow({ ...request, by })),
    closeIncident: async (request) => performed(await ledger.closeIncident({ ...request, by })),
    report: async (id, report) => {
      // As a program in plain JavaScript may: nothing at all.
      const { source, ...more } = (report as typeof report | null) ?? ({} as typeof report);
      const named = (report as object | null) === null ? {} : { source: `${by}: ${source}` };
      return performed(await ledger.report(id, { ...more, ...named } as typeof report));
    },
    reportAbout: async (request) => {
      const source = `${by}: ${request.source}`;
      const told = await ledger.reportAbout({ ...request, tenant, source });
      return told.kind === 'waits' ? told : performed(told as Performed);
    },
    waitingReports: async () =>
      Promise.resolve(
        ledger.waitingReports(tenant).map(({ at, until, request }) => {
          const { tenant: _tenant, ...said } = request;
          return { ...said, at, until };
        }),
      ),
    load: async (id) => {
      const loaded = await ledger.load(id);
      return loaded.kind === 'broken' ? loaded : { kind: 'action', action: shown(loaded.action) };
    },
    rest: async (id, waitMs) => {
      const action = await ledger.rest(id, waitMs);
      return action && shown(action);
    },
    list: async (filter) => Promise.resolve(ledger.list({ ...filter, tenant })),
    unknowns: async (filter) => Promise.resolve(ledger.unknowns({ ...filter, tenant })),
    sideEntries: async (limit) => Promise.resolve(ledger.sideEntries(limit)),
    pauses: async () => Promise.resolve(ledger.pauses()),
    pause: (request) => ledger.pause({ ...request, tenant, by }),
    resume: (request) => ledger.resume({ ...request, tenant, by }),
    tool: (tool) => {
      const name = typeof tool === 'string' ? tool : tool.name;
      return {
        name,
        call: async (args, { key, waitMs, signal, traceparent, tracestate, ...origin } = {}) => {
          const more = { key, waitMs, signal, traceparent, tracestate };
          const given = Object.entries(more).filter(([, value]) => value !== undefined);
          const call = { tool: name, arguments: args, tenant, by, origin };
          return ledger.propose({ ...call, ...Object.fromEntries(given) }) as never;
        },
      };
    },
    workflow: (options, program) => ledger.workflow({ ...options, by }, program),
    workflows: {
      ...workflows,
      start: (request) => workflows.start({ ...request, tenant, by }),
      step: (id, request) => workflows.step(id, { ...request, by }),
      show: (id) => workflows.show(id, { tenant }),
      list: async (filter) => Promise.resolve(workflows.list({ ...filter, tenant })),
      compensate: (id, request) => workflows.compensate(id, { ...request, by }),
    },
  };
}

function performed(from: Performed): RemotePerformed {
  if (from.kind !== 'done') return from;
  return from.refused ?? { kind: 'done', action: shown(from.action) };
}

const inside: ReadonlySet<string> = new Set([
  'absentBefore',
  'claim',
  'reportedSuccess',
  'reservedFor',
  'secret',
  'trace',
  'workflow',
]);

function shown(action: Action): RemoteAction {
  const members = Object.entries(action).filter(([name]) => !inside.has(name));
  const { ending, ...whole } = Object.fromEntries(members) as unknown as RemoteAction;
  const attempts = action.attempts.map(({ claim: _claim, worker: _worker, ...attempt }) => attempt);
  const rest = { ...whole, attempts };
  if (ending === undefined) return rest;
  const { at, reason, code, detail } = ending;
  const more = {
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined ? {} : { detail }),
  };
  return { ...rest, ending: { at, reason, ...more } };
}
