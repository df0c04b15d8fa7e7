export {
  createNotifier,
  type Notifier,
  type NotifierCounts,
  type NotifierDeps,
} from './create-notifier.ts';
