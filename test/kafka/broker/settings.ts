// The settings of a Kafka broker for tests: it is quick to form groups, to notice who died and to come
// back, and needs little memory. Each broker is a controller too, as KRaft allows.

export interface Node {
  readonly id: number;
  readonly port: number;
  readonly controllerPort: number;
  readonly folder: string;
}

export const host = '127.0.0.1';

/** The text of server.properties. */
export function settingsOf(node: Node, nodes: readonly Node[]): string {
  const copies = nodes.length;
  const insync = Math.max(1, copies - 1);
  const settings: Readonly<Record<string, string | number>> = {
    'process.roles': 'broker,controller',
    'node.id': node.id,
    'controller.quorum.voters': nodes
      .map(({ id, controllerPort }) => `${id}@${host}:${controllerPort}`)
      .join(','),
    listeners: `PLAINTEXT://${host}:${node.port},CONTROLLER://${host}:${node.controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': node.folder,
    'auto.create.topics.enable': 'false',
    'min.insync.replicas': insync,
    'offsets.topic.num.partitions': 4,
    'offsets.topic.replication.factor': copies,
    'transaction.state.log.num.partitions': 4,
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': insync,
    'share.coordinator.state.topic.replication.factor': copies,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 500,
    // After kill -9 a broker waits for its own old registration to lapse before it listens again.
    'broker.session.timeout.ms': 2000,
    'broker.heartbeat.interval.ms': 300,
    'log.index.size.max.bytes': 65_536,
    'log.segment.bytes': 16_777_216,
    'log.cleaner.dedupe.buffer.size': 8_388_608,
    'num.network.threads': 2,
    'num.io.threads': 4,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
