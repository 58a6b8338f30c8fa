import { observerReasons } from './observerReasons.ts';
import { processReasons } from './processReasons.ts';
import type { Reasons } from './reasonsOn.ts';
import { restartReasons } from './restartReasons.ts';
import { weederReasons } from './weederReasons.ts';

/** The reasons of all Kubernetes Events of weeder, by who records them. `DeletionSkipped` is in two of the tables. */
export const eventReasons: readonly Reasons[] = [weederReasons, restartReasons, observerReasons, processReasons];
