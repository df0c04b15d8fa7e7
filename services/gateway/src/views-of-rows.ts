// What is told of the rows of a list, in their order: each is read from its stream, several at once.
import { sideBySide } from '@action-ledger/application';

/** @param viewsOf none where it belongs to the list no more */
export async function viewsOfRows<Row>(
  rows: readonly Row[],
  viewsOf: (row: Row) => Promise<readonly object[]>,
): Promise<readonly object[]> {
  const views: (readonly object[])[] = [];
  await sideBySide(rows.entries(), async ([at, row]) => {
    views[at] = await viewsOf(row);
  });
  return views.flat();
}
