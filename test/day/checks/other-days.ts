// The day as it might have been: for each check at least one change after which it must complain. A check
// that lets them pass finds nothing.
import { type Day } from '../day.ts';
import {
  type ActionStory,
  type DayRecord,
  type Fact,
  hasSucceeded,
  type Story,
} from '../record.ts';
import { hour, minute, second } from '../times.ts';
import { type checks } from './all-checks.ts';

export interface OtherDay {
  /** What is otherwise. */
  readonly is: string;
  readonly check: keyof typeof checks;
  /** @throws Error where the day has nothing that could be changed so */
  readonly change: (day: Day, record: DayRecord) => readonly [day: Day, record: DayRecord];
}

type ChangeFacts = (facts: readonly Fact[], story: ActionStory) => readonly Fact[] | undefined;

/** The first action of which the change makes something. */
function withAction(record: DayRecord, change: ChangeFacts): DayRecord {
  for (const story of record.actions.values()) {
    const facts = change(story.facts, story);
    if (facts === undefined) continue;
    return { ...record, actions: new Map([...record.actions, [story.id, { ...story, facts }]]) };
  }
  throw new Error('the day has no such action');
}

function withOther(
  record: DayRecord,
  change: (story: Story) => readonly Fact[] | undefined,
): DayRecord {
  for (const [index, story] of record.others.entries()) {
    const facts = change(story);
    if (facts !== undefined)
      return { ...record, others: record.others.with(index, { ...story, facts }) };
  }
  throw new Error('the day has no such stream');
}

/** The first fact of a type, changed. */
const changed =
  (type: string, change: (fact: Fact) => Partial<Fact>): ChangeFacts =>
  (facts) => {
    const index = facts.findIndex((fact) => fact.type === type);
    const fact = facts[index];
    return fact === undefined ? undefined : facts.with(index, { ...fact, ...change(fact) });
  };

const withData = (fact: Fact, data: Fact['data']): Partial<Fact> => ({
  data: { ...fact.data, ...data },
});

const action =
  (change: ChangeFacts): OtherDay['change'] =>
  (day, record) => [day, withAction(record, change)];

const dispatchedAt = (move: (at: number, story: ActionStory) => number): ChangeFacts => {
  return (facts, story) =>
    changed('ActionDispatched', ({ at }) => ({ at: move(at, story) }))(facts, story);
};

/** The provider counts otherwise for the first action that succeeded. */
function withEffects(day: Day, record: DayRecord, effects: number): Day {
  const story = [...record.actions.values()].find(
    (each) => hasSucceeded(each) && each.key !== undefined && each.facts.length < 6,
  );
  const { provider } = day;
  return {
    ...day,
    provider: {
      ...provider,
      tally: () =>
        provider.tally().map((each) => (each.key === story?.key ? { ...each, effects } : each)),
      tallyOf: (tenant, key) => {
        const tally = provider.tallyOf(tenant, key);
        return tally === undefined || key !== story?.key ? tally : { ...tally, effects };
      },
    },
  };
}

function withTold(day: Day, change: (told: Day['agents']['told']) => Day['agents']['told']): Day {
  return { ...day, agents: { ...day.agents, told: change(day.agents.told) } };
}

function withSendings(
  day: Day,
  change: (sendings: Day['pager']['sendings']) => Day['pager']['sendings'],
): Day {
  return { ...day, pager: { ...day.pager, sendings: change(day.pager.sendings) } };
}

export const otherDays: readonly OtherDay[] = [
  {
    is: 'the provider counts two effects of one action',
    check: 'no action has more than one effect',
    change: (day, record) => [withEffects(day, record, 2), record],
  },
  {
    is: 'a request has no dispatch',
    check: 'no action has more than one effect',
    change: action((facts) => {
      const kept = facts.filter(({ type }) => type !== 'ActionDispatched');
      return kept.length === facts.length ? undefined : kept;
    }),
  },
  {
    is: 'a success has no effect',
    check: 'what is on record was so',
    change: (day, record) => [withEffects(day, record, 0), record],
  },
  {
    is: 'another value stands than the newest',
    check: 'the newest of absolute values stands',
    change: (day, record) => {
      const { provider } = day;
      return [{ ...day, provider: { ...provider, endState: () => undefined } }, record];
    },
  },
  {
    is: 'somebody was told "done" of what had no effect',
    check: 'who was told "done" has an effect, who was told "nothing" has none',
    change: (day, record) => [withEffects(day, record, 0), record],
  },
  {
    is: 'a call was told two outcomes',
    check: 'each call has one outcome',
    change: (day, record) => [
      withTold(day, (told) => {
        const done = told.filter(({ outcome: { word } }) => word === 'done');
        const [one, other] = [done[0], done.find(({ call }) => call.call !== done[0]?.call.call)];
        if (one === undefined || other === undefined) throw new Error('nothing was done');
        return [...told, { ...other, call: one.call }];
      }),
      record,
    ],
  },
  {
    is: 'a call has no answer',
    check: 'each call has one outcome',
    change: (day, record) => [{ ...day, agents: { ...day.agents, waiting: () => 1 } }, record],
  },
  {
    is: 'a trip stops without an end',
    check: 'each trip is whole, or undone',
    change: (day, record) => [
      day,
      withOther(record, ({ stream, facts }) =>
        stream.startsWith('workflow-') ? facts.slice(0, 1) : undefined,
      ),
    ],
  },
  {
    is: 'a trip is undone, and its bookings stand',
    check: 'each trip is whole, or undone',
    change: (day, record) => [
      day,
      withOther(record, ({ stream, facts }) => {
        const end = facts.findIndex(({ data }) => data['as'] === 'completed');
        const ended = facts[end];
        if (!stream.startsWith('workflow-') || ended === undefined) return undefined;
        return facts.with(end, { ...ended, data: { ...ended.data, as: 'compensated' } });
      }),
    ],
  },
  {
    is: 'an unknown has nobody',
    check: 'everything unknown has an owner and is checked in time',
    change: action(
      changed('ActionOutcomeUnknown', (fact) =>
        withData(fact, { owner: undefined, nextCheckAt: undefined }),
      ),
    ),
  },
  {
    is: 'an unknown is forgotten',
    check: 'everything unknown has an owner and is checked in time',
    change: action((facts) => {
      const doubt = facts.findIndex(({ type }) => type === 'ActionOutcomeUnknown');
      return doubt < 0 || doubt === facts.length - 1 ? undefined : facts.slice(0, doubt + 1);
    }),
  },
  {
    is: 'a check does not double its wait',
    check: 'checks are spaced as the policy says',
    change: action(
      changed('ReconciliationChecked', (fact) =>
        withData(fact, { nextCheckAt: Number(fact.data['nextCheckAt']) + 2 * hour }),
      ),
    ),
  },
  {
    is: 'one action is looked up without end',
    check: 'lookups make no storm',
    change: (day, record) => {
      const [first] = day.lookups;
      if (first === undefined) throw new Error('nothing was looked up');
      const storm = Array.from({ length: 40 }, (_, index) => ({ ...first, at: index * hour }));
      return [{ ...day, lookups: [...day.lookups, ...storm] }, record];
    },
  },
  {
    is: 'all look up at once',
    check: 'lookups make no storm',
    change: (day, record) => {
      const storm = Array.from({ length: 1_000 }, (_, index) => ({ at: 0, key: `key ${index}` }));
      return [{ ...day, lookups: [...day.lookups, ...storm] }, record];
    },
  },
  {
    is: 'a vote is open too long',
    check: 'what nobody decided ends at its time',
    change: action(changed('ActionExpired', ({ at }) => ({ at: at + hour }))),
  },
  {
    is: 'a request leaves within its undo window',
    check: 'nothing is sent outside its time',
    change: action((facts, story) =>
      story.tool === 'send_email'
        ? dispatchedAt(() => (facts[0]?.at ?? 0) + second)(facts, story)
        : undefined,
    ),
  },
  {
    is: 'a request leaves after its validity',
    check: 'nothing is sent outside its time',
    change: action(dispatchedAt((_at, { validUntil }) => validUntil)),
  },
  {
    is: 'a retry comes at once',
    check: 'retries and resends keep their distance',
    change: action((facts) => {
      const retry = facts.find(({ type }) => type === 'RetryPlanned');
      if (retry === undefined) return undefined;
      const again = facts.findIndex(
        ({ type, revision }) => type === 'ActionDispatched' && revision > retry.revision,
      );
      const sent = facts[again];
      return sent === undefined ? undefined : facts.with(again, { ...sent, at: retry.at });
    }),
  },
  {
    is: 'a request is sent again and again',
    check: 'retries and resends keep their distance',
    change: action((facts) => {
      const sent = facts.find(({ type }) => type === 'ActionDispatched');
      return sent === undefined ? undefined : [...facts, sent, sent, sent, sent];
    }),
  },
  {
    is: 'an action was forgotten for an hour',
    check: 'what may be sent is sent',
    change: action((facts, { tool }) => {
      const [planned, ...later] = facts;
      if (tool !== 'refund' || planned === undefined || later.length === 0) return undefined;
      if (facts.some(({ type }) => type === 'ApprovalRequested')) return undefined;
      return [planned, ...later.map((fact) => ({ ...fact, at: fact.at + hour }))];
    }),
  },
  {
    is: 'the pager was told of nothing',
    check: 'everybody is told of what waits for them',
    change: (day, record) => [withSendings(day, () => []), record],
  },
  {
    is: 'the pager was told too late',
    check: 'everybody is told of what waits for them',
    change: (day, record) => [
      withSendings(day, (all) => all.map((sending) => ({ ...sending, at: sending.at + 6 * hour }))),
      record,
    ],
  },
  {
    is: 'the pager was told again after it had said yes',
    check: 'nobody is told twice',
    change: (day, record) => [
      withSendings(day, (all) => [...all, ...all.filter((sending) => sending.acknowledged)]),
      record,
    ],
  },
  {
    is: 'a cause has two notifications',
    check: 'nobody is told twice',
    change: (day, record) => [
      withSendings(day, (all) => [
        ...all,
        ...all.map((each) => ({
          ...each,
          notification: { ...each.notification, id: `${each.notification.id}-2` },
        })),
      ]),
      record,
    ],
  },
  {
    is: 'a notice has no end',
    check: 'each notice has an end',
    change: (day, record) => [
      day,
      withOther(record, ({ stream, facts }) =>
        stream === 'notices' ? facts.filter(({ type }) => type === 'NoticeRaised') : undefined,
      ),
    ],
  },
  {
    is: 'an action has a hundred events',
    check: 'the record grows with the work',
    change: action((facts) => Array.from({ length: 100 }, () => facts[0] as Fact)),
  },
  {
    is: 'the record has ten events for each action',
    check: 'the record grows with the work',
    change: (day, record) => [
      day,
      { ...record, events: Array.from({ length: 10 }, () => record.events).flat() },
    ],
  },
  {
    is: 'a thousand timers wait',
    check: 'timers do not pile up',
    change: (day, record) => [
      { ...day, time: { ...day.time, pendingTimers: () => 1_000 + minute } },
      record,
    ],
  },
];
