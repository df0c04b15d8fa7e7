/** Something that happened, and what was answered to it. */
export interface Step {
  readonly happened: string;
  readonly answered?: string;
}
