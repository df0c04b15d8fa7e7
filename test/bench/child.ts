// A child process that answers messages over IPC, one question at a time. A question to a child that
// ends before it has answered is rejected.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A restart is to be measured, not the compiling of sources, which an installed package spares. */
const compileCache = join(import.meta.dirname, '../../node_modules/.cache/compile');

export interface Child<Message, Reply extends { readonly type: string }> {
  /** Waits for the next reply of that type. */
  ask<Type extends Reply['type']>(
    message: Message | undefined,
    type: Type,
  ): Promise<Extract<Reply, { readonly type: Type }>>;
  /** Each reply as it arrives, until the child ends. */
  listen(listener: (reply: Reply) => void): void;
  /** Resolves once the process is gone. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Resolves once the process has ended by itself. */
  ended(): Promise<void>;
}

/** `before`: a command that runs the child, such as strace with its options. */
export function startChild<Message, Reply extends { readonly type: string }>(
  file: string,
  args: readonly string[],
  before: readonly string[] = [],
): Child<Message, Reply> {
  const script = join(import.meta.dirname, file);
  const [command = '', ...rest] = [
    ...before,
    process.execPath,
    ...process.execArgv,
    script,
    ...args,
  ];
  const child = spawn(command, rest, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  });
  // Both: what the child has said before its end may arrive after its exit.
  const gone = Promise.all([once(child, 'exit'), once(child, 'disconnect')]).then(() => undefined);
  return {
    ask: (message, type) => ask(child, message as object | undefined, type),
    listen: (listener) =>
      child.on('message', (reply: unknown) => {
        listener(reply as Reply);
      }),
    kill: async (signal) => {
      child.kill(signal);
      await gone;
    },
    ended: () => gone,
  };
}

function ask<Reply extends { readonly type: string }>(
  child: ChildProcess,
  message: object | undefined,
  type: string,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const onMessage = (reply: unknown): void => {
      if ((reply as Reply).type !== type) return;
      stop();
      resolve(reply as Reply);
    };
    const onExit = (code: number | null, signal: string | null): void => {
      stop();
      reject(new Error(`a process of the bench ended (${signal ?? code ?? 'unknown'})`));
    };
    const stop = (): void => {
      child.off('message', onMessage);
      child.off('exit', onExit);
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
    if (message) child.send(message);
  });
}
