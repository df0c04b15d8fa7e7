// A call whose outcome is not known: it is found out, never guessed.
import { errorAfterCommit, reqLost, ackLost } from '@action-ledger/sandbox';
import { type DemoCase, hurried, onFirst } from '../demo-case.ts';

const from = { run: 'run-1', turn: '1', call: 'call_1' };
const again = { run: 'run-1', turn: '2', call: 'call_2' };
const charge = { card: 'c-9', cents: 2500 };

const lostResponse: DemoCase = {
  title: 'The card is charged, and the response is lost',
  guarantee: 'lookup',
  effectsWanted: 1,
  fault: onFirst(ackLost),
  play: async (stage) => {
    const tool = stage.tool({
      name: 'charge_card',
      fields: ['card', 'cents'],
      guarantee: 'lookup',
    });
    const { call } = await stage.open([tool]);
    await call(
      'the connection breaks after the charge; the ledger asks the provider by its key',
      'charge_card',
      charge,
      from,
    );
    await call('the model charges again, to be safe', 'charge_card', charge, again);
  },
  without: async (agent) => {
    await agent.call('charge_card', charge);
  },
};

const lostRequest: DemoCase = {
  title: 'The request is lost on its way',
  guarantee: 'idempotent',
  effectsWanted: 1,
  behaviour: { keyWindowMs: 86_400_000 },
  fault: onFirst(reqLost),
  play: async (stage) => {
    const tool = stage.tool({
      name: 'charge_card',
      fields: ['card', 'cents'],
      guarantee: 'idempotent',
      ...hurried,
    });
    const { call } = await stage.open([tool]);
    await call(
      'the connection breaks, nothing arrived; the ledger waits until nothing can be under way, then sends again with the same key',
      'charge_card',
      charge,
      from,
    );
  },
  without: async (agent) => {
    await agent.call('charge_card', charge);
  },
};

const transfer = { to: 'ES91 2100', cents: 90_000 };

const lateArrival: DemoCase = {
  title: 'The deadline passes, and the request arrives after it',
  guarantee: 'lookup',
  effectsWanted: 1,
  // After the deadline, before the in-flight bound.
  fault: onFirst({ arriveAfterMs: 100, connection: 'silent' }),
  play: async (stage) => {
    const tool = stage.tool({
      name: 'transfer',
      fields: ['to', 'cents'],
      guarantee: 'lookup',
      ...hurried,
    });
    const { call } = await stage.open([tool]);
    await call(
      'no answer within the deadline; "not there" is believed only once nothing can arrive any more',
      'transfer',
      transfer,
      from,
    );
  },
  without: async (agent) => {
    await agent.call('transfer', transfer, hurried);
    await agent.pause(120);
  },
};

const errorAfter: DemoCase = {
  title: 'The provider commits, then answers 500',
  guarantee: 'lookup',
  effectsWanted: 1,
  fault: onFirst(errorAfterCommit(500)),
  play: async (stage) => {
    const tool = stage.tool({
      name: 'create_ticket',
      fields: ['title'],
      guarantee: 'lookup',
    });
    const { call } = await stage.open([tool]);
    await call('a 500 proves nothing; the ledger looks', 'create_ticket', ticket, from);
  },
  without: async (agent) => {
    await agent.call('create_ticket', ticket);
  },
};

const ticket = { title: 'Printer on fire' };
const letter = { to: 'Grace', template: 'dismissal' };

const manualUnknown: DemoCase = {
  title: 'Nobody can say whether the letter went out',
  guarantee: 'manual',
  effectsWanted: 1,
  fault: onFirst(ackLost),
  play: async (stage) => {
    const tool = stage.tool({
      name: 'send_letter',
      fields: ['to', 'template'],
      guarantee: 'manual',
    });
    const told: string[] = [];
    const { ledger, call } = await stage.open([tool], {
      onNotice: (kind) => {
        told.push(kind);
      },
    });
    const lost = await call(
      'the response is lost, and the provider has nothing to ask',
      'send_letter',
      letter,
      from,
    );
    await call('the model tries again', 'send_letter', letter, again);
    stage.check(told.includes('unknown escalated'), 'the operator was not told');
    const unknown = await ledger.load(lost.actionId ?? '');
    const settled = await ledger.settle({
      actionId: lost.actionId ?? '',
      by: 'olga',
      reason: 'seen in the outbox',
      revisionSeen: unknown.kind === 'action' ? unknown.action.revision : -1,
      verdict: 'found',
    });
    const state = settled.kind === 'done' ? settled.action.status : settled.kind;
    stage.tell(
      'the operator Olga was told; she looks into the outbox and settles it',
      `Recorded: ${state}.`,
    );
    await call('the model asks a third time', 'send_letter', letter, {
      ...again,
      turn: '3',
      call: 'call_3',
    });
  },
  without: async (agent) => {
    await agent.call('send_letter', letter);
    await agent.call('send_letter', letter);
  },
};

export const doubts = { lostResponse, lostRequest, lateArrival, errorAfter, manualUnknown };
