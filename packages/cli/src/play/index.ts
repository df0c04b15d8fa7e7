// The parts of a play, for programs that play something longer of them.
export { type CallTally, createCallTally } from './call-tally.ts';
export { type Deliverer } from './delivery.ts';
export { type Fleet, startFleet } from './distributed/fleet.ts';
export { type IdentityProvider, openIdentityProvider } from './distributed/identity-provider.ts';
export { type Env, Member } from './distributed/member.ts';
export { sandboxToolsFile } from './distributed/start-member.ts';
export { judgePlay, type Verdict } from './judge-play.ts';
export { createOverHttp } from './over-http.ts';
export { planRuns, readToolsIn } from './play-files.ts';
export { playRun } from './play-run.ts';
export { isSound, summarise } from './play-summary.ts';
