// People in between: two clicks, two opinions.
import { type DemoCase } from '../demo-case.ts';
import { type Player, type Stage } from '../stage.ts';

const from = { run: 'run-1', turn: '1', call: 'call_1', by: 'agent-7' };
const payment = { to: 'ACME Ltd', cents: 1_200_000 };

async function propose(
  stage: Stage,
): Promise<{ readonly player: Player; readonly actionId: string }> {
  const tool = stage.tool({
    name: 'transfer',
    fields: ['to', 'cents'],
    guarantee: 'lookup',
    approval: true,
  });
  const player = await stage.open([tool]);
  const { actionId } = await player.call(
    'the model transfers 12,000.00',
    'transfer',
    payment,
    from,
  );
  return { player, actionId: actionId ?? '' };
}

async function vote(
  stage: Stage,
  { ledger }: Player,
  actionId: string,
  voter: string,
  vote: 'approve' | 'reject',
): Promise<void> {
  const loaded = await ledger.load(actionId);
  const argumentsHash = loaded.kind === 'action' ? loaded.action.argumentsHash : '';
  const voted = await ledger.vote({ actionId, voter, vote, argumentsHash });
  const rested = await ledger.rest(actionId, 2_000);
  const state = rested?.status ?? 'unknown';
  stage.tell(
    `${voter} clicks ${vote}`,
    voted.kind === 'refusal' ? voted.message : `Counted; the action is now ${state}.`,
  );
}

const approvedTwice: DemoCase = {
  title: 'Two people click approve',
  guarantee: 'lookup',
  effectsWanted: 1,
  play: async (stage) => {
    const { player, actionId } = await propose(stage);
    await vote(stage, player, actionId, 'Alice', 'approve');
    await vote(stage, player, actionId, 'Bob', 'approve');
    await player.call('the model asks what became of it', 'transfer', payment, {
      ...from,
      turn: '2',
      call: 'call_2',
    });
  },
  without: async (agent) => {
    // Each click runs what it approves.
    await agent.call('transfer', payment);
    await agent.call('transfer', payment);
  },
};

const rejectedThenApproved: DemoCase = {
  title: 'One rejects, another approves from a page that is out of date',
  guarantee: 'lookup',
  effectsWanted: 0,
  play: async (stage) => {
    const { player, actionId } = await propose(stage);
    await vote(stage, player, actionId, 'Bob', 'reject');
    await vote(stage, player, actionId, 'Alice', 'approve');
    await player.call('the model tries again', 'transfer', payment, {
      ...from,
      turn: '2',
      call: 'call_2',
    });
  },
  without: async (agent) => {
    // The rejection is a note; the approval runs what it approves.
    await agent.call('transfer', payment);
  },
};

export const approvals = { approvedTwice, rejectedThenApproved };
