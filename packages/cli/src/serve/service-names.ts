// The services that can run in processes of their own, in the order in which a call meets them.

export const serviceNames = [
  'gateway',
  'intake',
  'projector',
  'executor',
  'reconciler',
  'compensator',
  'auditor',
  'notifier',
] as const;

export type ServiceName = (typeof serviceNames)[number];
