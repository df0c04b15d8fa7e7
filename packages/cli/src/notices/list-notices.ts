// `action-ledger notices`: what people were to be told and have not been, as the file says it.
import {
  createNoticeFold,
  type Errand,
  type GivenUp,
  noticeStream,
} from '@action-ledger/notifications';
import { unsealEvent } from '@action-ledger/codec';
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { type Column, renderTable } from '../format/table.ts';
import { dateTime } from '../format/time.ts';
import { type PathOption } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';

export interface ListNoticesOptions extends PathOption {
  readonly json?: boolean;
}

const columns: readonly Column[] = [
  { title: 'SINCE (UTC)' },
  { title: 'WHAT', widthMin: 20, wraps: true, linesMax: 4 },
  { title: 'TO', widthMin: 12 },
  { title: 'HOW IT STANDS', widthMin: 16, wraps: true, linesMax: 4 },
];

export async function listNotices(cli: Cli, options: ListNoticesOptions): Promise<void> {
  await readLedger(cli.io, options, async (store, path) => {
    const fold = createNoticeFold();
    for (const recorded of await store.readStream(noticeStream)) {
      const { event, metadata } = unsealEvent(recorded);
      fold.add(event, metadata.at);
    }
    const { pending, givenUp, known } = fold.state;
    if (options.json === true) {
      cli.json({ pending: [...pending.values()], givenUp, told: known.size });
      return;
    }
    const { style, io } = cli;
    const rows = [
      ...[...pending.values()].map((each) => [...cellsOf(each), 'on its way']),
      ...givenUp.map((each) => [...cellsOf(each), givenUpText(each)]),
    ];
    if (rows.length > 0) io.out(renderTable(columns, rows, { style, columns: io.columns }));
    io.out(
      `${count(known.size, 'notification')} in ${path}: ${pending.size} on their way, ${givenUp.length} given up.\n`,
    );
  });
}

function cellsOf({ notification, endpoint }: Errand): readonly string[] {
  const { at, text } = notification;
  return [dateTime(at), printable(text), printable(endpoint)];
}

function givenUpText({ tries, reason }: GivenUp): string {
  return `given up after ${count(tries, 'try', 'tries')}: ${printable(reason)}`;
}
