// A process that plays runs one after another and sends what they amount to. Standard input says which:
// the first seed, the step from one to the next, how many.
import { addRun, emptyTotals } from './totals.ts';
import { run } from './run.ts';

const [first = 0, stride = 1, runs = 0, stepsMin = 300] = process.argv.slice(2).map(Number);
/** So many runs between two reports. */
const batch = 20;

// Whoever asked for the runs is gone, or has them all.
process.once('disconnect', () => {
  process.exit();
});

let totals = emptyTotals();
for (let index = 0; index < runs; index += 1) {
  addRun(totals, await run({ seed: first + index * stride, stepsMin }));
  if (totals.runs < batch && totals.failed.length === 0 && index < runs - 1) continue;
  await new Promise((sent) => process.send?.(totals, sent));
  totals = emptyTotals();
}
process.disconnect();
