// What the double says of itself: which calls it takes, and who the members of its cluster are.
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';

export interface Member {
  readonly host: string;
  readonly port: number;
  readonly isLeader: boolean;
}

const service = 'event_store.client.streams.streams';
/** A server says it takes batched appends; so a client without credentials is found out here. */
const methods = ['append', 'batchappend', 'read', 'delete', 'tombstone'];

export function supportedMethods(): SupportedMethods {
  const message = new features.SupportedMethods().setEventStoreServerVersion('protocol-double');
  message.setMethodsList(
    methods.map((name) =>
      new features.SupportedMethod().setServiceName(service).setMethodName(name),
    ),
  );
  return message;
}

export function membersMessage(members: readonly Member[]): ClusterInfo {
  const { LEADER, FOLLOWER } = gossip.MemberInfo.VNodeState;
  return new gossip.ClusterInfo().setMembersList(
    members.map(({ host, port, isLeader }, index) =>
      new gossip.MemberInfo()
        .setInstanceId(new shared.UUID().setString(instanceId(index)))
        .setTimeStamp('0')
        .setState(isLeader ? LEADER : FOLLOWER)
        .setIsAlive(true)
        .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(port)),
    ),
  );
}

function instanceId(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
}
