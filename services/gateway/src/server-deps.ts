// What the server and its doors are built from.
import { type Access } from '@action-ledger/access';
import { type Limits } from './limits.ts';
import { type Logger } from './logger.ts';
import { type Rate } from './rate.ts';
import { type Door } from './route.ts';
import { type UnderWay, type UnderWayOfTenants } from './under-way.ts';
import { type WaitingPolls } from './waiting-polls.ts';

export interface ServerDeps {
  readonly door: Door;
  readonly access: Access;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly underWay: UnderWay;
  readonly underWayOf: UnderWayOfTenants;
  readonly polls: WaitingPolls;
  readonly rate: Rate;
}
