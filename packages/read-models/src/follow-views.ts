// For a thread of its own: follows the store into a views file that is open elsewhere, through a
// second connection to it.
import {
  createFollower,
  type FollowerParts,
  steadyPace,
  type ViewsFollower,
} from './follow-store.ts';
import { connectToViews } from './views-file.ts';

export interface FollowViewsOptions extends Omit<FollowerParts, 'db' | 'pace'> {
  /** Of the views file. */
  readonly path: string;
}

/** @throws Error where the file is missing or not complete. */
export function followViews(options: FollowViewsOptions): ViewsFollower {
  const db = connectToViews(options.path);
  const follower = createFollower({ ...options, db, pace: steadyPace });
  return {
    advance: (sides) => follower.advance(sides),
    close: async () => {
      db.close();
    },
  };
}
