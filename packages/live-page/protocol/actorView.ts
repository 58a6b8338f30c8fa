/** An actor in the tree. */
export interface ActorView {
  /** Unique among the running actors. */
  readonly id: string;
  /** The name of its machine, whose picture is `/machines/NAME.svg`. */
  readonly machine: string;
  readonly parent: string | undefined;
  /** The ids of its active states, as in the attribute `data-state` of the picture, outermost first. */
  readonly states: readonly string[];
  readonly since: number;
  readonly waitsFor: readonly string[];
}
