// One gRPC server with the calls that the client makes, from the service definitions that its own
// package was generated with. A server that was shut down never listens again: another one is made.
import { promisify } from 'node:util';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { IServerFeaturesServer } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { answerAppend, type AppendDeps } from './append-call.ts';
import { deleteStream, tombstoneStream } from './delete-call.ts';
import { refusal } from './messages.ts';
import { answerRead, type ReadDeps } from './read-call.ts';
import { type Member, membersMessage, supportedMethods } from './server-info.ts';

export interface ServeDeps extends AppendDeps, ReadDeps {
  readonly members: () => readonly Member[];
}

export function createServer(deps: ServeDeps): Server {
  const streamsCalls: IStreamsServer = {
    append: (call, answer) => {
      answerAppend(deps, call, answer);
    },
    read: (call) => {
      answerRead(deps, call);
    },
    delete: (call, answer) => void deleteStream(deps.store, call, answer),
    tombstone: (call, answer) => void tombstoneStream(deps.store, call, answer),
    // Whoever comes here has forgotten the credentials.
    batchAppend: (call) => {
      call.emit('error', refusal(status.UNIMPLEMENTED, 'Appends by this call are not taken.'));
    },
  };
  const featuresCalls: IServerFeaturesServer = {
    getSupportedMethods: (_call, answer) => {
      answer(null, supportedMethods());
    },
  };
  const gossipCalls: IGossipServer = {
    read: (_call, answer) => {
      answer(null, membersMessage(deps.members()));
    },
  };
  const server = new Server();
  server.addService(streams.StreamsService, streamsCalls);
  server.addService(features.ServerFeaturesService, featuresCalls);
  server.addService(gossip.GossipService, gossipCalls);
  return server;
}

/** On the loopback interface. @returns the port */
export async function listen(server: Server, port: number): Promise<number> {
  const bind = promisify(server.bindAsync.bind(server));
  return bind(`127.0.0.1:${port}`, ServerCredentials.createInsecure());
}
