// F059: a person changes the arguments of a call that waits for approval.
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  call,
  conflict,
  effects,
  eventTypes,
  inCase,
  overStores,
  patience,
  type Process,
  second,
  type World,
  type WorldOptions,
  writeTool,
} from './case.ts';

const input = z.object({ to: z.string(), amount: z.int() });
type Port = Parameters<WorldOptions['tools']>[0];

/** All arguments are identity, so that the edit is another identity; or only the receiver is. */
const identities = { 'all fields': undefined, 'the receiver': ['to'] } as const;
const pay = (identity: readonly string[] | undefined) => (port: Port) => [
  writeTool(port, { name: 'pay', input, approval: true, ...(identity && { identity }) }),
  writeTool(port, { name: 'pay_at_once', input }),
];

const args = { to: 'Ann', amount: 100 };
const lowered = { ...args, amount: 10 };

async function approve(world: World, { ledger }: Process, actionId: string | undefined) {
  const { argumentsHash } = await world.action(actionId);
  return ledger.vote({ actionId: actionId ?? '', voter: 'vera', vote: 'approve', argumentsHash });
}

async function edit(world: World, { ledger }: Process, actionId: string | undefined, more = {}) {
  const { revision } = await world.action(actionId);
  return world.during(
    ledger.edit({
      actionId: actionId ?? '',
      by: 'vera',
      reason: 'too much',
      revisionSeen: revision,
      arguments: lowered,
      ...more,
    }),
  );
}

overStores((store) => {
  it.each(Object.entries(identities))(
    'F059 edit on approval, where %s are identity: it runs as edited, and a new call of the first asks anew',
    (_which, identity) =>
      inCase(
        pay(identity),
        async (world) => {
          const process = await world.start();
          const asked = await process.call(args, call());
          expect(asked.state).toBe('awaiting_approval');
          const edited = await edit(world, process, asked.actionId);
          expect(edited).toMatchObject({
            state: 'awaiting_approval',
            editOf: asked.actionId,
            repeat: false,
          });
          await approve(world, process, edited.actionId);
          await world.advance(second);
          // Both are on record, and name each other.
          expect(await eventTypes(world, asked.actionId)).toEqual([
            'ActionPlanned',
            'ApprovalRequested',
            'ActionCancelled',
          ]);
          expect(await world.action(asked.actionId)).toMatchObject({
            arguments: args,
            supersededBy: edited.actionId,
            ending: { by: 'vera', reason: 'too much', stands: false },
          });
          expect(await world.action(edited.actionId)).toMatchObject({
            status: 'succeeded',
            arguments: lowered,
            editOf: asked.actionId,
          });
          expect(world.provider.effects()).toMatchObject([{ arguments: lowered }]);

          const next = await world.restart();
          expect(await next.call(args, call())).toMatchObject({
            word: 'already-done',
            actionId: edited.actionId,
          });
          const again = await next.call(args, call('call_2', '2'));
          if (identity === undefined) {
            expect(again).toMatchObject({ state: 'awaiting_approval', previous: asked.actionId });
          } else {
            // The receiver is paid, with another amount than this.
            expect(again).toMatchObject({ ...conflict, actionId: edited.actionId });
          }
          expect(effects(world)).toBe(1);
        },
        { store },
      ),
  );

  it.each(Object.entries(identities))(
    'F059 killed between the two halves of the edit, where %s are identity → completed by the next process',
    (_which, identity) =>
      inCase(
        pay(identity),
        async (world) => {
          const dying = await world.start();
          const asked = await dying.call(args, call());
          dying.script.onAppend({ kind: 'never answered' }, ({ events }) =>
            events.some(({ type }) => type === 'ActionCancelled'),
          );
          const { revision } = await world.action(asked.actionId);
          void dying.ledger.edit({
            actionId: asked.actionId ?? '',
            by: 'vera',
            reason: 'too much',
            revisionSeen: revision,
            arguments: lowered,
          });
          await world.advance(second);
          const next = await world.restart();
          await world.advance(second);
          const { supersededBy } = await world.action(asked.actionId);
          expect(await world.action(supersededBy)).toMatchObject({
            status: 'awaiting_approval',
            arguments: lowered,
          });
          await approve(world, next, supersededBy);
          await world.advance(second);
          expect(await next.call(args, call())).toMatchObject({ actionId: supersededBy });
          expect(world.provider.effects()).toMatchObject([{ arguments: lowered }]);
        },
        { store },
      ),
  );
});

/** The second half of the edit gets no further than this process. */
function loseSecondHalf({ script }: Process): void {
  const until = new Promise(() => undefined);
  script.onAppend(
    { kind: 'asked late', until },
    ({ events }) => events[0]?.type === 'ActionPlanned',
  );
}

it('F059 the second half of the edit is lost: a call to another process completes it', () =>
  inCase(pay(['to']), async (world) => {
    const editor = await world.start();
    const other = await world.start();
    const asked = await editor.call(args, call());
    loseSecondHalf(editor);
    void edit(world, editor, asked.actionId).catch(() => undefined);
    await world.time.settle();
    editor.die();
    const { supersededBy } = await world.action(asked.actionId);
    expect((await world.action(supersededBy)).status).toBe('new');
    expect(await other.call(args, call('call_2', '2'))).toMatchObject({
      ...conflict,
      actionId: supersededBy,
    });
    expect(await world.action(supersededBy)).toMatchObject({ arguments: lowered });
    expect(await other.call(args, call())).toMatchObject({ actionId: supersededBy });
  }));

it('F059 the second half of the edit is lost: the sweep completes it', () =>
  inCase(pay(undefined), async (world) => {
    const process = await world.start();
    const asked = await process.call(args, call());
    loseSecondHalf(process);
    void edit(world, process, asked.actionId).catch(() => undefined);
    await world.advance(5 * second);
    const { supersededBy } = await world.action(asked.actionId);
    expect((await world.action(supersededBy)).status).toBe('awaiting_approval');
  }));

it('F059 the first caller, who still waits, gets the outcome of the edit', () =>
  inCase(
    (port) => [writeTool(port, { name: 'pay', input, undoWindow: '30s' })],
    async (world) => {
      const process = await world.start();
      const waiting = process.begin(args, { ...call(), ...patience });
      await world.advance(second);
      const [action] = await world.actions();
      const edited = await edit(world, process, action?.id, { waitMs: 60 * second });
      expect(edited).toMatchObject({ word: 'done', editOf: action?.id });
      expect(await world.during(waiting)).toMatchObject({
        word: 'already-done',
        actionId: edited.actionId,
      });
      expect(world.provider.effects()).toMatchObject([{ arguments: lowered }]);
    },
  ));

it('F059 an edit that changes the tool, nothing, or what has been sent or seen otherwise → refused', () =>
  inCase(pay(undefined), async (world) => {
    const process = await world.start();
    const { actionId } = await process.call(args, call());
    const refused = async (more: object) => (await edit(world, process, actionId, more)).code;
    expect(await refused({ tool: 'pay_at_once' })).toBe('edit.other-tool');
    expect(await refused({ arguments: args })).toBe('edit.unchanged');
    expect(await refused({ arguments: { to: 'Ann' } })).toBe('arguments.invalid');
    expect(await refused({ revisionSeen: 0 })).toBe('action.stale-revision');
    expect((await world.action(actionId)).status).toBe('awaiting_approval');
    await approve(world, process, actionId);
    await world.advance(second);
    expect(await refused({})).toBe('action.status');
    expect(world.provider.effects()).toMatchObject([{ arguments: args }]);
  }));

it('F059 the same edit twice → one action; another one of what was edited already → refused', () =>
  inCase(pay(undefined), async (world) => {
    const process = await world.start();
    const asked = await process.call(args, call());
    const first = await edit(world, process, asked.actionId);
    expect(await edit(world, process, asked.actionId)).toMatchObject({
      actionId: first.actionId,
      repeat: true,
    });
    const other = await edit(world, process, asked.actionId, {
      arguments: { ...args, amount: 11 },
    });
    expect(other).toMatchObject({ code: 'action.status' });
    expect(await world.actions()).toHaveLength(2);
  }));

it('F059 edited into what another call has done already → that one outcome, no second effect', () =>
  inCase(pay(undefined), async (world) => {
    const process = await world.start();
    const done = await process.call(lowered, call());
    await approve(world, process, done.actionId);
    await world.advance(second);
    const asked = await process.call(args, call('call_2', '2'));
    expect(await edit(world, process, asked.actionId)).toMatchObject({
      word: 'already-done',
      actionId: done.actionId,
    });
    expect(await process.call(args, call('call_2', '2'))).toMatchObject({
      actionId: done.actionId,
    });
    expect(effects(world)).toBe(1);
  }));
