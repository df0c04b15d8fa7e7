// A way to EventStoreDB that can be cut: what connects to it is connected to the server, until all connections
// are cut at once. A new one gets through.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Cuts {
  /** In place of the server's own. */
  readonly connectionString: string;
  readonly cutAll: () => void;
  readonly close: () => Promise<void>;
}

/** @param connectionString of one server, without TLS */
export async function openCuts(connectionString: string): Promise<Cuts> {
  const target = new URL(connectionString.replace(/^\w+:/, 'http:'));
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) });
    keep(near);
    keep(far);
    near.pipe(far).pipe(near);
    far.once('close', () => near.destroy());
    near.once('close', () => far.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    connectionString: connectionString.replace(`:${target.port}`, `:${port}`),
    cutAll,
    close: async () => {
      server.close();
      cutAll();
      await once(server, 'close');
    },
  };
}
