// Who was told what: everything that waited for people, each of them once, also where the pager was out of
// order for an hour.
import { type Day } from '../day.ts';
import { type DayRecord, nextStanding, type Standing, type Story } from '../record.ts';
import { awayWithin, day as aDay, minute, pagerDown, second } from '../times.ts';

interface Due {
  readonly stream: string;
  readonly revision: number;
  readonly at: number;
  /** When nobody needs to be told any more. */
  readonly until: number;
  readonly tenant: unknown;
}

/** The longest pause between two tries, and a lot more. */
const afterOutage = 75 * minute;
const usually = 10 * second;

export function everybodyIsTold(day: Day, record: DayRecord): readonly string[] {
  return dueNotices(day, record).flatMap(({ stream, revision, at, until, tenant }) => {
    const away = awayWithin(at, at + usually);
    const isOut = at + usually > pagerDown.from && at < pagerDown.until + afterOutage;
    const by = at + usually + away + (isOut ? pagerDown.until - pagerDown.from + afterOutage : 0);
    if (until <= by) return [];
    const wanted = tenant === 'acme' ? ['pager', 'acme-desk'] : ['pager'];
    return wanted.flatMap((to) => {
      const told = day.pager.sendings.filter(
        ({ to: whom, notification: { cause }, arrived }) =>
          whom === to && arrived && cause.stream === stream && cause.revision === revision,
      );
      if (told.length === 0) return [`${to} was not told of ${stream} ${revision} (at ${at})`];
      return (told[0]?.at ?? 0) > by ? [`${to} was told late of ${stream} ${revision}`] : [];
    });
  });
}

/** Once it was acknowledged it is not sent again, and one cause has one notification. */
export function nobodyIsToldTwice({ pager }: Day): readonly string[] {
  const sent = new Map<string, { arrived: number; acknowledged: number; mute: number }>();
  const ids = new Map<string, string>();
  const problems: string[] = [];
  for (const { at, to, notification, arrived, acknowledged } of pager.sendings) {
    const { id, cause, tenant } = notification;
    const what = `${cause.stream} ${cause.revision}`;
    if ((ids.get(what) ?? id) !== id) problems.push(`${what} has two notifications`);
    ids.set(what, id);
    if (to === 'acme-desk' && tenant !== 'acme') problems.push(`${to} was told of ${tenant ?? ''}`);
    const known = sent.get(`${to} ${id}`) ?? { arrived: 0, acknowledged: 0, mute: 0 };
    if (known.acknowledged > 0) problems.push(`${to} was told of ${what} again at ${at}`);
    sent.set(`${to} ${id}`, {
      arrived: known.arrived + Number(arrived),
      acknowledged: known.acknowledged + Number(acknowledged),
      mute: known.mute + Number(arrived && !acknowledged),
    });
  }
  for (const [what, { arrived, mute }] of sent)
    if (arrived > mute + 1) problems.push(`${what} arrived ${arrived} times`);
  return problems;
}

/** Whatever was begun to be told has an end on record. */
export function noticesHaveEnds(_day: Day, { others }: DayRecord): readonly string[] {
  const facts = others.find(({ stream }) => stream === 'notices')?.facts ?? [];
  const ended = new Map<string, number>();
  for (const { data } of facts)
    if (typeof data['notice'] === 'string')
      ended.set(data['notice'], (ended.get(data['notice']) ?? 0) + 1);
  return facts.flatMap(({ type, data }) => {
    if (type !== 'NoticeRaised') return [];
    const [id, wanted] = [String(data['id']), (data['endpoints'] as readonly string[]).length];
    const ends = ended.get(id) ?? 0;
    return ends === wanted ? [] : [`${id} has ${ends} ends for ${wanted} endpoints`];
  });
}

function dueNotices(day: Day, { actions, others }: DayRecord): readonly Due[] {
  return [
    ...[...actions.values()].flatMap((story) => [
      ...approvalsOf(story, story.tenant),
      ...escalationsOf(day, story, story.tenant),
      ...incidentsOf(story, story.tenant),
    ]),
    ...others.flatMap((story) => othersOf(story)),
  ];
}

function approvalsOf({ stream, facts }: Story, tenant: string): readonly Due[] {
  return facts.flatMap(({ type, at, revision }, index) => {
    if (type !== 'ApprovalRequested') return [];
    const end = facts.slice(index + 1).find((each) => endsApproval.has(each.type));
    return [{ stream, revision, at, until: end?.at ?? aDay, tenant }];
  });
}

const endsApproval: ReadonlySet<string> = new Set([
  'ActionApproved',
  'ActionRejected',
  'ActionExpired',
  'ActionCancelled',
]);

/** From the fact that makes it an operator's to the one that does not. */
function escalationsOf(day: Day, { stream, facts }: Story, tenant: string): readonly Due[] {
  const due: Due[] = [];
  let standing: Standing = { is: 'open' };
  for (const fact of facts) {
    const before = standing;
    standing = nextStanding(standing, fact, day.midnight);
    const [was, is] = [before.owner === 'operator', standing.owner === 'operator'];
    const { revision, at } = fact;
    if (!was && is) due.push({ stream, revision, at, until: aDay, tenant });
    const last = due.at(-1);
    if (was && !is && last !== undefined) due[due.length - 1] = { ...last, until: at };
  }
  return due;
}

function incidentsOf({ stream, facts }: Story, tenant: string): readonly Due[] {
  return facts.flatMap(({ type, at, revision }) =>
    type === 'IncidentOpened' || type === 'DuplicateEffectDetected'
      ? [{ stream, revision, at, until: at + 30 * minute, tenant }]
      : [],
  );
}

function othersOf({ stream, facts }: Story): readonly Due[] {
  return facts.flatMap(({ type, at, revision, data }, index) => {
    if (stream === 'pauses' && type === 'LedgerPaused') {
      const end = facts.slice(index + 1).find((each) => each.data['tool'] === data['tool']);
      return [{ stream, revision, at, until: end?.at ?? aDay, tenant: undefined }];
    }
    if (!stream.startsWith('workflow-') || data['owner'] !== 'operator') return [];
    const next = facts.at(index + 1);
    const { tenant } = facts[0]?.data ?? {};
    return [{ stream, revision, at, until: next?.at ?? aDay, tenant }];
  });
}
