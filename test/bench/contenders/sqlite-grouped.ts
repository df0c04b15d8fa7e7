// The yardstick: the bare loop that a careful person writes by hand. Intent durable, call, outcome
// durable; writes of concurrent callers share a commit; one unique index over the key; a repeat is
// looked up by it. It stores as many bytes as it is told to (filler), and does nothing else: no
// validation, no conflict, no recovery. An intent without outcome is answered as failed.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Contender, type ContenderContext, mainFile, type Told } from '../contender.ts';
import { argumentsBytes, paymentId, type PaymentArguments, resultBytes } from '../payment.ts';

const schema = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma wal_autocheckpoint = 4000;
  pragma cache_size = -4096;
  create table if not exists intents
    (id integer primary key, key text not null unique, arguments text not null, filler text not null);
  create table if not exists outcomes
    (intent integer primary key, result text not null, filler text not null);
`;

interface Known {
  readonly id: number;
  readonly result: string | null;
}

/** `groupMax` 1: every event is a transaction of its own. */
export function openSqliteGrouped(context: ContenderContext, groupMax = Infinity): Contender {
  const database = new DatabaseSync(join(context.dir, mainFile));
  database.exec(schema);
  const statements = {
    find: database.prepare(
      'select i.id, o.result from intents i left join outcomes o on o.intent = i.id where i.key = ?',
    ),
    intend: database.prepare('insert into intents (key, arguments, filler) values (?, ?, ?)'),
    settle: database.prepare('insert into outcomes (intent, result, filler) values (?, ?, ?)'),
  };
  const group = createCommitGroup(database, groupMax);
  const filler = fillerFor(context.yardstickBytes);

  const settle = async (intent: number | bigint, result: unknown): Promise<void> => {
    const text = JSON.stringify(result);
    await group.write(() => statements.settle.run(intent, text, filler.outcome));
  };
  const perform = async (payment: PaymentArguments): Promise<Told> => {
    const key = payment.payment_id;
    const known = statements.find.get(key) as unknown as Known | undefined;
    if (known) return answerAgain(known, () => settle(known.id, { failed: 'no outcome' }));
    const text = JSON.stringify(payment);
    const { lastInsertRowid: intent } = await group.write(() =>
      statements.intend.run(key, text, filler.intent),
    );
    try {
      await settle(intent, await context.effects.send(key, payment));
      return 'done';
    } catch (error) {
      await settle(intent, { failed: String(error) });
      return 'failed';
    }
  };
  return {
    perform: (_n, payment) => perform(payment),
    commits: () => group.commits(),
    close: () => {
      database.close();
    },
  };
}

async function answerAgain(known: Known, settleAsFailed: () => Promise<void>): Promise<Told> {
  if (known.result === null) {
    await settleAsFailed();
    return 'failed';
  }
  const result = JSON.parse(known.result) as { readonly failed?: string };
  return result.failed === undefined ? 'duplicate' : 'failed';
}

interface CommitGroup {
  /** Runs inside the next commit; resolves once that is durable. */
  write<Result>(run: () => Result): Promise<Result>;
  commits(): number;
}

function createCommitGroup(database: DatabaseSync, groupMax: number): CommitGroup {
  const begin = database.prepare('begin immediate');
  const commit = database.prepare('commit');
  const waiting: (() => () => void)[] = [];
  let commits = 0;
  const flush = (): void => {
    while (waiting.length > 0) {
      begin.run();
      const tellers = waiting.splice(0, groupMax).map((write) => write());
      commit.run();
      commits += 1;
      for (const tell of tellers) tell();
    }
  };
  return {
    write: (run) =>
      new Promise((resolve) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push(() => {
          const result = run();
          return () => {
            resolve(result);
          };
        });
      }),
    commits: () => commits,
  };
}

/** The bytes beyond key, arguments and result, two thirds with the intent, one with the outcome. */
function fillerFor(bytes: number): { readonly intent: string; readonly outcome: string } {
  const missing = Math.max(0, bytes - paymentId(0, 0).length - argumentsBytes - resultBytes);
  const outcome = Math.round(missing / 3);
  return { intent: 'i'.repeat(missing - outcome), outcome: 'o'.repeat(outcome) };
}
