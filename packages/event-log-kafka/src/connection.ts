// One client of the brokers whose sockets are known, so that it can be ended at once, whatever the
// client itself still waits for. Each consumer and publisher has its own.
import { connect as connectPlain, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type ISocketFactory, Kafka, logLevel } from 'kafkajs';
import { calmQueues } from './calm-queues.ts';
import { type KafkaEventLogOptions, type Timing } from './options.ts';

export interface Connection {
  readonly kafka: Kafka;
  /** Ends all its sockets; no other is opened. */
  readonly cut: () => void;
}

export type Connect = () => Connection;

const connectMs = 3_000;

/** In all about 4 s: what takes longer is begun anew, not repeated. */
export const retryUsual = { initialRetryTime: 30, retries: 8, maxRetryTime: 1_000 };

export function connectBy(options: KafkaEventLogOptions, timing: Timing): Connect {
  const { brokers, clientId = 'action-ledger', ssl, sasl, socketFactory = openSocket } = options;
  calmQueues();
  return () => {
    const sockets = createSockets(socketFactory);
    const kafka = new Kafka({
      brokers: [...brokers],
      clientId,
      ...(ssl === undefined ? {} : { ssl }),
      ...(sasl === undefined ? {} : { sasl }),
      connectionTimeout: connectMs,
      requestTimeout: timing.requestMs,
      retry: retryUsual,
      socketFactory: sockets.open,
      // What matters of its log is told as faults: the rest, errors that it recovers from, is noise.
      logLevel: logLevel.NOTHING,
    });
    return { kafka, cut: sockets.cut };
  };
}

function createSockets(open: ISocketFactory): {
  readonly open: ISocketFactory;
  readonly cut: () => void;
} {
  const sockets = new Set<Socket>();
  let isCut = false;
  return {
    open: (wanted) => {
      const socket = isCut ? new Socket() : open(wanted);
      if (isCut) setImmediate(() => socket.destroy(cutError()));
      // The client adds a listener for each request that waits for the connection.
      socket.setMaxListeners(0);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    cut: () => {
      isCut = true;
      // With an error: the client listens for nothing else.
      for (const socket of sockets) socket.destroy(cutError());
    },
  };
}

const openSocket: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  // Without `ssl` the client gives none, though its types say otherwise.
  const socket = (ssl as unknown)
    ? connectTls({ host, port, servername: host, ...ssl }, onConnect)
    : connectPlain({ host, port }, onConnect);
  return socket.setNoDelay(true).setKeepAlive(true, 30_000);
};

function cutError(): Error {
  return new Error('The connection was ended from this side.');
}
