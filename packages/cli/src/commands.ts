// Every command, in the order that the help shows.
import { registerActions } from './actions/register-actions.ts';
import { type Register } from './cli.ts';
import { registerUnknown, registerVotes } from './desk/register-decide.ts';
import { registerKeys, registerPauses } from './desk/register-keys.ts';
import { registerDemo } from './demo/register-demo.ts';
import { registerDoctor } from './doctor/register-doctor.ts';
import { registerExplain } from './explain/register-explain.ts';
import { registerPlay } from './play/register-play.ts';
import { registerReplay } from './replay/register-replay.ts';
import { registerStart } from './start/register-start.ts';
import { registerVerify } from './verify/register-verify.ts';

export const commands: readonly Register[] = [
  registerDemo,
  registerPlay,
  registerStart,
  registerActions,
  registerVotes,
  registerUnknown,
  registerPauses,
  registerKeys,
  registerReplay,
  registerVerify,
  registerExplain,
  registerDoctor,
];
