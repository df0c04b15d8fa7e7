// Every command, in the order that the help shows. What registers one loads what runs it when it is run, and names
// its types with `import type`: other imports of types load the file that they are in.
import { registerActions } from './actions/register-actions.ts';
import { registerArchive } from './archive/register-archive.ts';
import { registerBackup } from './backup/register-backup.ts';
import { type Register } from './cli.ts';
import { registerUnknown, registerVotes } from './desk/register-decide.ts';
import { registerEvidence } from './desk/register-evidence.ts';
import { registerKeys, registerPauses } from './desk/register-keys.ts';
import { registerDemo } from './demo/register-demo.ts';
import { registerDoctor } from './doctor/register-doctor.ts';
import { registerExplain } from './explain/register-explain.ts';
import { registerExport } from './export/register-export.ts';
import { registerNotices } from './notices/register-notices.ts';
import { registerObserved } from './observed/register-observed.ts';
import { registerPlay } from './play/register-play.ts';
import { registerRecover } from './recover/register-recover.ts';
import { registerReplay } from './replay/register-replay.ts';
import { registerRestore } from './restore/register-restore.ts';
import { registerServe } from './serve/register-serve.ts';
import { registerStart } from './start/register-start.ts';
import { registerVerify } from './verify/register-verify.ts';
import { registerWorkflow } from './workflows/register-workflow.ts';

export const commands: readonly Register[] = [
  registerDemo,
  registerPlay,
  registerStart,
  registerServe,
  registerActions,
  registerWorkflow,
  registerVotes,
  registerUnknown,
  registerObserved,
  registerEvidence,
  registerPauses,
  registerNotices,
  registerKeys,
  registerReplay,
  registerVerify,
  registerExplain,
  registerDoctor,
  registerExport,
  registerArchive,
  registerBackup,
  registerRestore,
  registerRecover,
];
