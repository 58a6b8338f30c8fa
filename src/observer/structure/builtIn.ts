import lists from '../../../generated/builtInLists.json' with { type: 'json' };
import { type Structures, structuresOf } from './openapi.ts';

/**
 * What is known of built-in kinds where no cluster is asked: which of their lists have keys, or are sets, as the version
 * of Kubernetes that weeder is tested with has it. Says nothing of other lists and of maps.
 */
export function builtInStructures(): Structures {
  return structuresOf({ components: { schemas: lists } });
}
