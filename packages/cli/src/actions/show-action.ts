// `action-ledger actions show`: everything that is on record of one action.
import { foldAction } from '@action-ledger/codec';
import { type Action, type Attempt, streamOfAction } from '@action-ledger/domain';
import { viewsPathOf } from '@action-ledger/client';
import { readSideEntries, type SideEntry } from '@action-ledger/read-models';
import { type ArchiveOption, withArchive } from '../archive/with-archive.ts';
import { type Cli } from '../cli.ts';
import { promises, statusText, watchText } from '../describe/action-text.ts';
import { callText, observedText } from '../describe/event-text.ts';
import { count } from '../format/count.ts';
import { printable, printableJson } from '../format/printable.ts';
import { type Fact, renderFacts } from '../format/facts.ts';
import { type Paint, paintOf, type Style } from '../format/style.ts';
import { cutText } from '../format/text-width.ts';
import { dateTime, duration } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { type UrlOption, urlNamed } from '../ledger-file/url-option.ts';
import { type PathOption, pathSuffix } from '../ledger-file/ledger-path.ts';
import { actionAt } from './action-at.ts';
import { type LoadedAction, loadAction } from '../ledger-file/load-action.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { sha256 } from '../sha256.ts';

export interface ShowCommand extends PathOption, UrlOption, ArchiveOption {
  readonly json?: boolean;
}

export async function showAction(cli: Cli, typed: string, options: ShowCommand): Promise<void> {
  const url = urlNamed(cli.io, options);
  if (url !== undefined) {
    const action = await actionAt(cli.io, url, typed, options);
    if (options.json === true) cli.json({ ...action, promise: promises[action.guarantee] });
    else cli.io.out(renderAction(action, [], cli.style, cli.io.columns));
    return;
  }
  await readLedger(cli.io, options, async (store, path) => {
    const file = pathSuffix(cli.io, path);
    const loaded = await loadAction(withArchive(store, options), typed, sha256, file);
    const { events } = loaded;
    const action = wholeAgain(loaded);
    const heldBack = readSideEntries(viewsPathOf(path), action.id) ?? [];
    if (options.json === true) {
      const promise = promises[action.guarantee];
      cli.json({ ...action, promise, events: events.length, heldBack });
      return;
    }
    cli.io.out(renderAction(action, heldBack, cli.style, cli.io.columns));
    const command = `action-ledger replay ${shortId(action.id)}${file}`;
    cli.io.out(`\n${cli.style.dim(`${command}  shows its state after each event.`)}\n`);
  });
}

/** With what was cut when it was archived, where the events before that are at hand. */
function wholeAgain({ action, events }: LoadedAction): Action {
  const marker = events.findIndex(({ type }) => type === 'ActionArchived');
  if (marker < 1) return action;
  const before = foldAction(sha256, streamOfAction(action.id), events.slice(0, marker));
  if (before.kind === 'broken') return action;
  const { arguments: args, outcome = action.outcome } = before.action;
  return { ...action, arguments: args, ...(outcome === undefined ? {} : { outcome }) };
}

function renderAction(
  action: Action,
  heldBack: readonly SideEntry[],
  style: Style,
  columns: number | undefined,
): string {
  return renderFacts(facts(action, heldBack, style), style, columns);
}

const same: Paint = (text) => text;

function facts(action: Action, heldBack: readonly SideEntry[], style: Style): readonly Fact[] {
  return [
    ['action', action.id, style.bold],
    ['status', statusLine(action), paintOf(style, action.status)],
    ['tool', printable(`${action.tool}, tenant ${action.tenant}`)],
    ['guarantee', `${action.guarantee}: ${promises[action.guarantee]}`],
    ...optional('observed', action.observed && observedText(action.observed)),
    ...optional('key', action.key),
    ['arguments', printableJson(action.arguments, 2)],
    ...optional('for', action.by),
    [
      'planned',
      `${dateTime(action.plannedAt, { ms: true })} UTC, valid until ${dateTime(action.validUntil)}`,
    ],
    ...callFacts(action),
    ...heldBackFacts(heldBack),
    ...linkFacts(action),
    ...approvalFacts(action),
    ...attemptFacts(action, style),
    ...endFacts(action),
    ...careFacts(action, style),
    ...archiveFacts(action),
    [
      'record',
      `epoch ${action.epoch}, revision ${action.revision}, arguments hash ${action.argumentsHash.slice(0, 12)}…`,
    ],
  ];
}

function archiveFacts({ archived }: Action): readonly Fact[] {
  if (archived === undefined) return [];
  const { file, through, at, cut } = archived;
  const parts = cut.length === 0 ? '' : `; of ${cut.join(' and ')} a part is kept here`;
  return [
    [
      'archived',
      printable(
        `at ${dateTime(at)} UTC: revisions up to ${through} are in ${file}${parts}. --archive FOLDER reads them`,
      ),
    ],
  ];
}

function statusLine(action: Action): string {
  return `${statusText(action)} since ${dateTime(action.updatedAt, { ms: true })} UTC`;
}

function optional(label: string, text: string | undefined): readonly Fact[] {
  return text === undefined ? [] : [[label, printable(text)]];
}

function callFacts({ calls }: Action): readonly Fact[] {
  const [first, ...joined] = calls.map((call) => printable(callText(call)));
  return [
    ...(first === undefined ? [] : [['call', first] as const]),
    ...(joined.length === 0 ? [] : [['joined by', joined.join('\n')] as const]),
  ];
}

const heldBackShown = 5;

/** Calls and votes that changed nothing. Kept beside the record, so that some may be missing after a crash. */
function heldBackFacts(entries: readonly SideEntry[]): readonly Fact[] {
  if (entries.length === 0) return [];
  const newest = entries.slice(0, heldBackShown).map(({ at, kind, reason, call }) => {
    const why = kind === 'duplicate' ? undefined : reason;
    const from = call === undefined ? undefined : callText(call);
    const said = [why, from].filter((part) => part !== undefined && part !== '').join('; ');
    return printable(`${dateTime(at, { ms: true })} ${kind}${said === '' ? '' : `: ${said}`}`);
  });
  const more = entries.length - newest.length;
  const lines = [...newest, ...(more > 0 ? [`and ${more} before`] : [])];
  return [['held back', [`${heldBackCount(entries)}:`, ...lines].join('\n')]];
}

/** A refused vote is no call: it has none. */
function heldBackCount(entries: readonly SideEntry[]): string {
  const votes = entries.filter(({ kind, call }) => kind === 'refused' && call === undefined).length;
  const observed = entries.filter(({ kind }) => kind === 'observed').length;
  const calls = entries.length - votes - observed;
  return [
    ...(observed === 0 ? [] : [`${count(observed, 'call')} that went out, only observed`]),
    ...(calls === 0 ? [] : [`${count(calls, 'call')} that ran nothing`]),
    ...(votes === 0 ? [] : [count(votes, 'refused vote')]),
  ].join(', ');
}

function linkFacts(action: Action): readonly Fact[] {
  const { repeatOf, editOf, compensates, compensatedBy, workflow } = action;
  const { undoes, undoneBy, supersededBy, after } = action;
  const ids = (list: readonly string[]): string => list.map(shortId).join(', ');
  return [
    ...optional('repeats', repeatOf && shortId(repeatOf)),
    ...optional('an edit of', editOf && shortId(editOf)),
    ...optional('waits for', action.status === 'planned' ? after && shortId(after) : undefined),
    ...optional('undoes', undoes.length === 0 ? undefined : ids(undoes)),
    ...optional('undone by', undoneBy && shortId(undoneBy)),
    ...optional(
      'instead',
      supersededBy && `${shortId(supersededBy)}, whose outcome its callers get`,
    ),
    ...optional('step', workflow && `"${workflow.step}" of workflow ${workflow.id.slice(0, 10)}`),
    ...optional('compensates', compensates && shortId(compensates)),
    ...optional('compensated', compensatedBy && `by ${shortId(compensatedBy)}`),
  ];
}

function approvalFacts({ approval }: Action): readonly Fact[] {
  if (approval === undefined) return [];
  const { votes, votesNeeded, decided, expiresAt } = approval;
  const needed = `${votesNeeded} needed`;
  const state =
    decided === undefined
      ? `${needed}, votes are taken until ${dateTime(expiresAt)} UTC`
      : `${needed}; ${decided.as} at ${dateTime(decided.at, { ms: true })} UTC`;
  const cast = votes.map(
    ({ voter, vote, at }) => `${voter}: ${vote} at ${dateTime(at, { ms: true })}`,
  );
  return [['approval', [state, ...cast].map(printable).join('\n')]];
}

function attemptFacts({ attempts, downstreamKey }: Action, style: Style): readonly Fact[] {
  if (attempts.length === 0) return [['attempts', 'none: nothing was sent']];
  const paint = attempts.some(({ state }) => state === 'in doubt') ? style.open : same;
  return [
    ['attempts', attempts.map(attemptText).join('\n'), paint],
    ...optional('sent under', downstreamKey),
  ];
}

function attemptText(of: Attempt): string {
  const { attempt, state, dispatchedAt, deadlineAt, answered, presumed } = of;
  if (presumed !== undefined)
    return `${attempt}: ${state}, not on record: presumed by ${presumed}, after ${dateTime(dispatchedAt, { ms: true })}`;
  const heard = state === 'in doubt' && !answered ? ', unanswered' : '';
  return `${attempt}: ${state}${heard}, dispatched ${dateTime(dispatchedAt, { ms: true })}, deadline ${duration(deadlineAt - dispatchedAt)}`;
}

const codeShown = 60;

function endFacts({ outcome, ending, cancelRequested }: Action): readonly Fact[] {
  const found: Fact[] = [];
  if (outcome !== undefined) {
    found.push(['outcome', printableJson(outcome.result, 2)]);
    found.push(...optional('external id', outcome.externalId));
    found.push(...optional('left out', outcome.notes?.join('; ')));
  }
  if (ending !== undefined) {
    // The provider's own text: of no use to a person beyond a certain length. --json has all of it.
    const code = ending.code === undefined ? '' : ` (${cutText(ending.code, codeShown)})`;
    const stands = ending.stands ? "; it stands until an operator's repeat" : '';
    found.push(['ended', printable(`${ending.reason}${code}${stands}`)]);
  }
  if (cancelRequested !== undefined)
    found.push(['cancel', printable(`wanted by ${cancelRequested.by}: ${cancelRequested.reason}`)]);
  return found;
}

function careFacts(action: Action, style: Style): readonly Fact[] {
  const { watch, checks, evidence, incidents, duplicates } = action;
  const found: Fact[] = [];
  if (watch !== undefined) {
    const times = checks === 0 ? '' : `, after ${checks} checks`;
    found.push(['owner', `${watchText(watch)} UTC${times}`, style.open]);
  }
  if (evidence.length > 0) {
    const texts = evidence.map(({ source, claims, at, externalId: id }) => {
      return `${dateTime(at, { ms: true })} ${source}: ${claims}${id === undefined ? '' : ` (${id})`}`;
    });
    found.push(['evidence', texts.map(printable).join('\n')]);
  }
  if (incidents.length > 0) {
    const texts = incidents.map(
      ({ incident, reason, ...owned }) => `${incident}: ${reason}; ${watchText(owned)}`,
    );
    found.push(['incidents', texts.map(printable).join('\n'), style.bad]);
  }
  if (duplicates.length > 0) {
    const texts = duplicates.map(({ externalIds, other }) =>
      [...externalIds, ...(other === undefined ? [] : [shortId(other)])].join(', '),
    );
    found.push(['duplicates', texts.map(printable).join('\n'), style.bad]);
  }
  return found;
}
