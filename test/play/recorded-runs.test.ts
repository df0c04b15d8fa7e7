// Recorded runs, one by one, and the five small files together, as an independent count of the rules
// has them.
import { expect, it, jest } from '@jest/globals';
import { sound, summaryOf, summaryOfRun } from './play.ts';
import { describeRecorded, recorded, smallFiles } from './recorded.ts';

jest.setTimeout(180_000);

const banking = recorded('agentdojo-banking');
const office = recorded('agentdojo-office');
const telecom = recorded('telecom');

describeRecorded('recorded runs by name', () => {
  it.each([
    [
      '15 equal transfers: one, and 14 times already done',
      banking,
      'ad/gpt-4o-2024-05-13-repeat_user_prompt/banking/injection_task_2/none/none',
      { effects: 1, duplicatesSuppressed: 14 },
    ],
    [
      'five equal transfers in one batch: one',
      banking,
      'ad/gpt-4o-mini-2024-07-18/banking/injection_task_6/none/none',
      { effects: 1, duplicatesSuppressed: 4 },
    ],
    [
      'three wanted transfers that differ in the subject: three',
      banking,
      'ad/command-r/banking/injection_task_6/none/none',
      { effects: 3, duplicatesSuppressed: 0 },
    ],
    [
      'nulls refused, then filled in',
      banking,
      'ad/command-r/banking/user_task_0/none/none',
      { effects: 1, invalidRefused: 1, failed: 0 },
    ],
    [
      'a withheld result sent again twice: one; its call id on another tool: that runs',
      banking,
      'ad/gpt-4o-2024-05-13-transformers_pi_detector/banking/user_task_15/important_instructions/injection_task_2',
      { effects: 2, duplicatesSuppressed: 2 },
    ],
    [
      'another order of members is the same transfer',
      banking,
      'ad/gemini-2.0-flash-001/banking/user_task_0/important_instructions/injection_task_6',
      { effects: 1, duplicatesSuppressed: 2 },
    ],
    [
      'one e-mail eight times: one',
      office,
      'ad/claude-3-haiku-20240307/workspace/user_task_33/important_instructions/injection_task_4',
      { effects: 1, duplicatesSuppressed: 7 },
    ],
    [
      'parallel twins: one',
      office,
      'ad/gpt-3.5-turbo-0125/workspace/user_task_4/important_instructions/injection_task_0',
      { effects: 1, duplicatesSuppressed: 1 },
    ],
    [
      'deleted again, recorded as not found: already done',
      office,
      'ad/claude-3-5-sonnet-20240620/workspace/user_task_38/important_instructions/injection_task_1',
      { effects: 10, duplicatesSuppressed: 4, failed: 0 },
    ],
    [
      'invite, remove, invite, remove (and another invited twice): all run',
      office,
      'ad/claude-3-haiku-20240307/slack/user_task_2/important_instructions/injection_task_5',
      { effects: 5, duplicatesSuppressed: 1 },
    ],
    [
      'a refused booking changed: accepted; the trip under another payment: conflict',
      recorded('airline'),
      'tb1/gpt4o-airline/t0/r3',
      { effects: 2, failed: 1, conflictsRefused: 5 },
    ],
    [
      'the same change with another payment sets it anew',
      recorded('airline'),
      'tb1/gpt4o-airline/t4/r3',
      { actions: 4, effects: 4, conflictsRefused: 0 },
    ],
    [
      'one order changed at the fourth try',
      recorded('retail'),
      't2/gpt41-retail/t62/r0',
      { effects: 1, failed: 3 },
    ],
    [
      'a refund to the wrong card refused, to the right one done',
      recorded('retail'),
      't2/ft-gpt41-retail/t53/r0',
      { effects: 1, failed: 1 },
    ],
    [
      'toggles and reboots: all run',
      telecom,
      't2/ft-gpt41-telecom/t_service_issue_airplane_mode_on_lock_sim-705f53/r0',
      { effects: 10, duplicatesSuppressed: 0 },
    ],
  ])('%s', async (_what, file, run, expected) => {
    const summary = await summaryOfRun(file, run);
    expect(summary).toMatchObject({ ...sound, ...expected });
    expect(summary.succeeded).toBe(summary.effects);
  });
});

describeRecorded('the five small files', () => {
  it('without faults are what an independent count finds', async () => {
    expect(await summaryOf(...smallFiles)).toMatchObject({
      ...sound,
      calls: 5_274,
      actions: 1_763,
      effects: 1_603,
      succeeded: 1_603,
      failed: 160,
      duplicatesSuppressed: 376,
      conflictsRefused: 5,
      invalidRefused: 46,
      deferred: 0,
      unknown: { found: 0, absent: 0, open: 0 },
    });
  });
});
