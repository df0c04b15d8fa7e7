// Every command, in the order that the help shows.
import { type Register } from './cli.ts';
import { registerDemo } from './demo/register-demo.ts';

export const commands: readonly Register[] = [registerDemo];
