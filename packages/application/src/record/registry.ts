// Registrations: each tool's declaration is an event in `tool-<name>`. A tool whose identity changed
// without a new identityVersion does not start: the same arguments would get another key.
import { sealEvents, unsealEvent } from '@action-ledger/codec';
import {
  canonicalJson,
  chainStart,
  type IdentityDeclaration,
  type JsonObject,
  type JsonValue,
  type Sha256,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import {
  compareDeclarations,
  type DeclarationData,
  declarationEvent,
  RegistrationRefused,
  type Tool,
} from '@action-ledger/tools';
import { appendOnce } from './append.ts';
import { type LedgerClock } from '../core/ledger-clock.ts';

export function toolStream(name: string): string {
  return `tool-${name}`;
}

export interface RegistryDeps {
  readonly store: EventStore;
  readonly sha256: Sha256;
  readonly clock: LedgerClock;
  readonly runtime: Runtime;
}

const roundsMax = 8;

/**
 * @returns the declarations of it that were on record before, oldest first
 * @throws RegistrationRefused
 */
export async function registerTool(
  deps: RegistryDeps,
  tool: Tool,
): Promise<readonly IdentityDeclaration[]> {
  for (let round = 0; round < roundsMax; round += 1) {
    const stream = toolStream(tool.name);
    const stored = await deps.store.readStream(stream);
    const last = stored.at(-1);
    const registered = last === undefined ? undefined : unsealEvent(last);
    if (registered !== undefined) {
      const compared = compareDeclarations(
        registered.event.data as unknown as DeclarationData,
        tool,
      );
      if (compared === 'same') return stored.flatMap(declarationIn);
      if (compared !== 'compatible') throw new RegistrationRefused(compared);
    }
    const data = JSON.parse(
      canonicalJson(declarationEvent(tool) as unknown as JsonValue),
    ) as JsonObject;
    const context = { sha256: deps.sha256, nextId: deps.runtime.ids.next, at: deps.clock.nowMs() };
    const previous = registered === undefined ? chainStart(stream) : registered.metadata.hash;
    const { events } = sealEvents(context, previous, [{ type: 'ToolRegistered', data }]);
    const expected = last === undefined ? 'no stream' : last.revision;
    const appended = await appendOnce(deps.store, deps.runtime.timers, stream, expected, events);
    if (appended.kind === 'appended') return stored.flatMap(declarationIn);
  }
  throw new StoreFault(
    'store.unavailable',
    'safe',
    `could not register ${tool.name}: others kept registering it`,
  );
}

/** None where it cannot be read: only what is compared by it is in need of it. */
function declarationIn(recorded: RecordedEvent): readonly DeclarationData[] {
  try {
    return [unsealEvent(recorded).event.data as unknown as DeclarationData];
  } catch {
    return [];
  }
}
