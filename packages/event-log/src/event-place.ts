// Where the event stands that a record carries, or up to which its state is folded.

export interface EventPlace {
  readonly eventId: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  /**
   * In the event store; may jump. Of a state that was written once more it is where that was asked for,
   * behind the event that it is folded up to.
   */
  readonly position: number;
  /**
   * Rises when the topics are written anew, because the store went back in time: revisions and positions
   * mean something else from then on. 0 where it is missing.
   */
  readonly generation?: number;
}
