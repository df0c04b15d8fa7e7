// Every check of the day, under the sentence that it stands for.
import { type Day } from '../day.ts';
import { type DayRecord } from '../record.ts';
import { answersAgree, answersAreTrue, tripsAreWhole } from './answers.ts';
import { effectsAtMostOne, newestValueStands, recordsAreTrue } from './effects.ts';
import { recordIsBounded, timersAreBounded } from './growth.ts';
import { everybodyIsTold, nobodyIsToldTwice, noticesHaveEnds } from './notices.ts';
import { checksAreSpaced, lookupsAreFew, unknownsAreOwned } from './unknowns.ts';
import {
  expiriesComeInTime,
  nothingIsForgotten,
  retriesAreSpaced,
  sendsAreTimely,
} from './waits.ts';

export type Check = (day: Day, record: DayRecord) => readonly string[];

export const checks = {
  'no action has more than one effect': effectsAtMostOne,
  'what is on record was so': recordsAreTrue,
  'the newest of absolute values stands': newestValueStands,
  'who was told "done" has an effect, who was told "nothing" has none': answersAreTrue,
  'each call has one outcome': answersAgree,
  'each trip is whole, or undone': tripsAreWhole,
  'everything unknown has an owner and is checked in time': unknownsAreOwned,
  'checks are spaced as the policy says': checksAreSpaced,
  'lookups make no storm': lookupsAreFew,
  'what nobody decided ends at its time': expiriesComeInTime,
  'nothing is sent outside its time': sendsAreTimely,
  'retries and resends keep their distance': retriesAreSpaced,
  'what may be sent is sent': nothingIsForgotten,
  'everybody is told of what waits for them': everybodyIsTold,
  'nobody is told twice': nobodyIsToldTwice,
  'each notice has an end': noticesHaveEnds,
  'the record grows with the work': recordIsBounded,
  'timers do not pile up': timersAreBounded,
} as const satisfies Readonly<Record<string, Check>>;
