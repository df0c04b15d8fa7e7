export { mayBeCause, noticeIdOf, notificationOf, type CauseDeps } from './cause.ts';
export { createCourier, type Courier, type CourierDeps, type CourierRules } from './courier.ts';
export {
  createHook,
  type Endpoint,
  type EndpointFilter,
  type HookOptions,
  type Sent,
} from './endpoint.ts';
export {
  createNoticeBook,
  createNoticeFold,
  type Errand,
  type ErrandEnd,
  type GivenUp,
  type NoticeBook,
  type NoticeState,
  noticeStream,
} from './notice-book.ts';
export { type Notification, type NotificationKind, notificationTypes } from './notification.ts';
export { parseSecrets, signatureOf } from './signature.ts';
export { createWebhook, type WebhookOptions } from './webhook.ts';
