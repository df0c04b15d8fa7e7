// The command as this process: its arguments, its streams, its exit code.
import { processIo } from './io.ts';
import { run } from './run.ts';

export async function runAsProcess(version: string): Promise<void> {
  // Whoever reads the output may stop reading (`| head`): that is no failure.
  process.stdout.on('error', endQuietly);
  process.stderr.on('error', endQuietly);
  const code = await run(process.argv.slice(2), processIo(version));
  if (code !== 0) process.exitCode = code;
}

function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
