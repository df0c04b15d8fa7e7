// Workflows in a views file: found again by another process, and never behind what this one has noted.
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sealEvents } from '@action-ledger/codec';
import {
  chainStart,
  evolveWorkflow,
  newWorkflow,
  streamOfWorkflow,
  type Workflow,
  type WorkflowEvent,
} from '@action-ledger/domain';
import { createMemoryEventStore, type MemoryEventStore } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { createFolder, createWorld, finish, type Folder } from '../test-support/world.ts';
import { type SqliteActionIndex } from './index.ts';
import { type WorkflowFilter } from './workflow-index.ts';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');
/** As long as the ids of workflows are. */
const idOf = (name: string): string => name.padEnd(43, '0');
const short = (id: string): string => id.replace(/0+$/, '');

let folder: Folder;
let store: MemoryEventStore;
let workflows: Map<string, { readonly workflow: Workflow; readonly hash: string }>;
let at = 1_000;
let ids = 0;
const open: SqliteActionIndex[] = [];

beforeEach(() => {
  folder = createFolder(createVirtualRuntime());
  store = createMemoryEventStore();
  workflows = new Map();
});
afterEach(async () => {
  for (const index of open.splice(0)) await index.close();
  folder.remove();
});

async function openIndex(): Promise<SqliteActionIndex> {
  const index = await folder.open(store);
  open.push(index);
  return index;
}

async function append(name: string, ...events: readonly WorkflowEvent[]): Promise<Workflow> {
  at += 10;
  const id = idOf(name);
  const stream = streamOfWorkflow(id);
  const known = workflows.get(id) ?? { workflow: newWorkflow(id), hash: chainStart(stream) };
  const nextId = (): string => `e-${(ids += 1)}`;
  const sealed = sealEvents({ sha256, nextId, at }, known.hash, events);
  const { revision } = known.workflow;
  await store.append(stream, revision < 0 ? 'no stream' : revision, sealed.events);
  let { workflow } = known;
  for (const event of events)
    workflow = evolveWorkflow(workflow, event, { revision: workflow.revision + 1, at });
  workflows.set(id, { workflow, hash: sealed.hash });
  return workflow;
}

const started = (tenant: string, run?: string): WorkflowEvent => ({
  type: 'WorkflowStarted',
  data: {
    tenant,
    ...(run === undefined ? {} : { run }),
    onFailedCompensation: 'stop',
    abandonedAfterMs: 1_000,
    whenAbandoned: 'operator',
  },
});
const planned: WorkflowEvent = {
  type: 'StepPlanned',
  data: {
    step: 'book',
    tool: 'book',
    arguments: {},
    argumentsHash: 'h',
    compensation: { kind: 'not needed' },
    identity: { kind: 'step' },
  },
};
const settled: WorkflowEvent = {
  type: 'StepSettled',
  data: { step: 'book', action: 'a', as: 'succeeded', owned: true },
};
const completed: WorkflowEvent = { type: 'WorkflowEnded', data: { as: 'completed' } };

const listed = (index: SqliteActionIndex, filter: WorkflowFilter = {}): readonly string[] =>
  index.workflows.list(filter).map(({ workflow, revision }) => `${short(workflow)}:${revision}`);

it('another process finds what the streams hold, without having been told', async () => {
  await append('a', started('t-1', 'run-1'), planned, settled, completed);
  await append('b', started('t-2'), planned);
  await (await openIndex()).close();
  await append('c', started('t-1'), planned, settled);
  const { workflows: index } = await openIndex();
  expect([index.open().map(short), index.moving().map(short)]).toEqual([['b', 'c'], ['b']]);
  const other = await openIndex();
  expect(listed(other)).toEqual(['c:2', 'b:1', 'a:3']);
  expect(listed(other, { limit: 2 })).toEqual(['c:2', 'b:1']);
  expect(listed(other, { tenant: 't-1' })).toEqual(['c:2', 'a:3']);
  expect(listed(other, { run: 'run-1' })).toEqual(['a:3']);
  expect(listed(other, { status: 'running', tenant: 't-2' })).toEqual(['b:1']);
  expect(listed(other, { status: 'completed' })).toEqual(['a:3']);
  expect(listed(other, { open: true })).toEqual(['c:2', 'b:1']);
  expect(other.workflows.list({ run: 'run-1' })[0]).toEqual({
    workflow: idOf('a'),
    tenant: 't-1',
    run: 'run-1',
    status: 'completed',
    steps: 1,
    startedAt: 1_010,
    updatedAt: 1_010,
    revision: 3,
  });
});

describe('what this process has noted', () => {
  it('counts before it is in the file, while it is written, and after', async () => {
    await append('a', started('t-1'), planned);
    const index = await openIndex();
    index.workflows.note(await append('a', settled));
    expect(index.workflows.moving()).toEqual([]);
    const writing = index.flush();
    index.workflows.note(await append('a', completed));
    expect([index.workflows.open(), listed(index)]).toEqual([[], ['a:3']]);
    await writing;
    expect([index.workflows.open(), listed(index)]).toEqual([[], ['a:3']]);
    expect(listed(index, { status: 'running' })).toEqual([]);
    await index.flush();
    expect([index.workflows.open(), listed(index)]).toEqual([[], ['a:3']]);
  });

  it('does not go back to an older state', async () => {
    const index = await openIndex();
    const older = await append('a', started('t-1'));
    index.workflows.note(await append('a', planned, settled, completed));
    index.workflows.note(older);
    expect([index.workflows.open(), listed(index)]).toEqual([[], ['a:3']]);
    await index.flush();
    index.workflows.note(older);
    expect([index.workflows.open(), listed(index)]).toEqual([[], ['a:3']]);
  });

  it('fills a list up to its limit with what is in the file', async () => {
    for (const name of ['a', 'b', 'c']) await append(name, started('t-1'));
    const index = await openIndex();
    index.workflows.note(await append('b', planned));
    expect(listed(index, { limit: 2 })).toEqual(['c:0', 'b:1']);
    expect(listed(index)).toEqual(['c:0', 'b:1', 'a:0']);
    const [newest] = index.workflows.list({ limit: 1 });
    const after = { startedAt: newest?.startedAt ?? 0, workflow: newest?.workflow ?? '' };
    expect(listed(index, { after, limit: 1 })).toEqual(['b:1']);
  });
});

it('a damaged workflow is passed over from where it is damaged, and others go on', async () => {
  const world = createWorld(store);
  await append('a', started('t-1'));
  await append('a', completed);
  await append('b', started('t-1'));
  await finish(world, 'an action');
  const damaged = {
    ...store,
    readStream: async (stream: string) =>
      (await store.readStream(stream)).map((event) =>
        stream === streamOfWorkflow(idOf('a')) && event.revision === 1
          ? { ...event, data: '{"as"' }
          : event,
      ),
  };
  const index = await folder.open(damaged);
  open.push(index);
  expect(listed(index)).toEqual(['b:0', 'a:0']);
  expect(index.list({ limit: 10 })).toHaveLength(1);
});

it('the file holds workflows together with the position that it reaches', async () => {
  await append('a', started('t-1'));
  await (await openIndex()).close();
  const db = new DatabaseSync(folder.path, { readOnly: true });
  expect(db.prepare('select workflow from workflows').all()).toEqual([{ workflow: idOf('a') }]);
  expect(db.prepare(`select value from facts where name = 'position'`).get()).toEqual({ value: 1 });
  db.close();
});
