// Whether an address can be listened on, asked before a ledger's file is opened there: an address that is taken
// leaves no file behind then. Who takes it in between is still found when the server listens.
import { createServer } from 'node:net';

/** @param port 0, or undefined: any that is free. @throws what listening throws, with its `code` */
export async function checkAddress({
  host = '127.0.0.1',
  port = 0,
}: {
  readonly host?: string;
  readonly port?: number;
}): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port }, () => {
      server.close(() => {
        resolve();
      });
    });
  });
}
