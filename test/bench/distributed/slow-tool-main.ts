// The tool of the executors that are measured, as a module that services load: each call takes its time.
import { payWith } from '../../sizing/pay.ts';

const takesMs = 50;

export const slow = payWith(
  () =>
    new Promise((resolve) => {
      setTimeout(resolve, takesMs);
    }),
);
