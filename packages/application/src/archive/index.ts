export {
  archiveActions,
  type ArchiveDeps,
  type ArchivePoint,
  type ArchiveReport,
  type ArchiveRequest,
} from './archive-actions.ts';
export { type ArchiveFolder } from './archive-folder.ts';
export {
  type ArchivedStream,
  type ArchivedStreams,
  createArchivedStreams,
} from './archived-streams.ts';
