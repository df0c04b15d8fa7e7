// What an archived action keeps of its arguments and its result: all, up to a size; beyond that a part,
// with what its tool declared to keep and what its undoers find it by. Where no declaration of the tool
// is on record, or one cannot be read, nothing is cut.
import { unsealEvent } from '@action-ledger/codec';
import {
  type Action,
  canonicalJson,
  cutToFit,
  isLongerThan,
  type JsonObject,
  type RecordedResult,
  type Sha256,
} from '@action-ledger/domain';
import { type EventStore, StoreFault } from '@action-ledger/event-store';
import { type DeclarationData } from '@action-ledger/tools';
import { toolStream } from '../record/registry.ts';

/** Of the canonical text. */
export const argumentsKeptBytes = 256;
export const resultKeptBytes = 4_096;

export interface Shortened {
  readonly arguments?: JsonObject;
  readonly outcome?: RecordedResult;
}

export type Shortener = (action: Action, file: string) => Promise<Shortened>;

export function createShortener(store: EventStore, sha256: Sha256): Shortener {
  const keeps = new Map<string, Promise<readonly string[] | undefined>>();
  const keepOf = (tool: string): Promise<readonly string[] | undefined> => {
    const known = keeps.get(tool) ?? declaredKeep(store, tool);
    keeps.set(tool, known);
    return known;
  };
  return async (action, file) => {
    const keep = await keepOf(action.tool);
    if (keep === undefined) return {};
    const args = shorterArguments(action.arguments, within(keep, 'arguments.'));
    const outcome = shorterOutcome(sha256, action.outcome, within(keep, 'outcome.'), file);
    return {
      ...(args === undefined ? {} : { arguments: args }),
      ...(outcome === undefined ? {} : { outcome }),
    };
  };
}

/** By any declaration of it on record: an undoer must find what was done under an older one too. */
async function declaredKeep(
  store: EventStore,
  tool: string,
): Promise<readonly string[] | undefined> {
  try {
    const declared = await store.readStream(toolStream(tool));
    if (declared.length === 0) return undefined;
    return declared.flatMap((event) => {
      const { keep = [], rules } = unsealEvent(event).event.data as Partial<Declared>;
      return [...keep, ...(rules?.undoneBy ?? []).flatMap(({ match }) => Object.values(match))];
    });
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

function isDamage(error: unknown): boolean {
  return (
    error instanceof SyntaxError || (error instanceof StoreFault && error.code === 'store.corrupt')
  );
}

type Declared = Pick<DeclarationData, 'keep' | 'rules'>;

function within(keep: readonly string[], side: string): readonly string[] {
  return keep.filter((path) => path.startsWith(side)).map((path) => path.slice(side.length));
}

function shorterArguments(args: JsonObject, keep: readonly string[]): JsonObject | undefined {
  if (!isLongerThan(canonicalJson(args), argumentsKeptBytes)) return undefined;
  return cutToFit(args, argumentsKeptBytes, keep).value as JsonObject;
}

function shorterOutcome(
  sha256: Sha256,
  outcome: Action['outcome'],
  keep: readonly string[],
  file: string,
): RecordedResult | undefined {
  if (outcome === undefined) return undefined;
  const text = canonicalJson(outcome.result);
  if (!isLongerThan(text, resultKeptBytes)) return undefined;
  const { at: _at, ...recorded } = outcome;
  return {
    ...recorded,
    result: cutToFit(outcome.result, resultKeptBytes, keep).value,
    digest: outcome.digest ?? sha256(text),
    notes: [...(outcome.notes ?? []), `Only a part is kept here; the rest is archived in ${file}.`],
  };
}
