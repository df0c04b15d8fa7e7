// A call that is only observed has gone out: whatever becomes of its record, it is not sent again for that.
import { type Action } from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import { type Answer, answerFor } from '../answer/answer.ts';

/** @param told what is on record of the action; where that cannot be read, it is in progress */
export async function onceSent(action: Action, told: Promise<Answer>): Promise<Answer> {
  try {
    const answer = await told;
    if (answer.state !== 'refused') return answer;
  } catch (fault) {
    if (!(fault instanceof StoreFault)) throw fault;
  }
  return answerFor(action, { repeat: false });
}
