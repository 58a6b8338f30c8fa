import type { JsonObject } from '../../base/json.ts';

/** What the two managers of a resource apply. */
export interface ApplyBodies {
  /** Everything in the manifest, with the claim. */
  readonly whole: JsonObject;
  /** The observed fields, with the claim: the only thing that is ever forced. */
  readonly observed: JsonObject;
  /** What is not observed; undefined: everything is. */
  readonly unobserved: JsonObject | undefined;
  /** Nothing but which object it is: a manager that applies this owns nothing any more. */
  readonly nothing: JsonObject;
}
