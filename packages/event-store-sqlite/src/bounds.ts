// The usual values of what an opener may choose.

/** How long an append, or the opening, waits for another connection's lock. */
export const busyWaitMsUsual = 30_000;
/** How often a read-only store looks for new events. */
export const pollMsUsual = 50;
/** Streams whose ends wait in memory to be merged into the index. */
export const pendingStreamsMaxUsual = 8192;
