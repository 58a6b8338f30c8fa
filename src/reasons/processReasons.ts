import type { Reasons } from './reasonsOn.ts';

/**
 * Every Kubernetes Event that weeder records about itself, on its own pod, by reason; compare
 * weederReasons.ts.
 */
export const processReasons = {
  ConfigApplied: {
    about: 'Pod',
    types: ['Normal'],
    actions: ['Apply'],
    meaning:
      'On weeder’s own pod: the config file has changed, and is in force. The note names what was added, changed and removed.',
  },
  ConfigRejected: {
    about: 'Pod',
    types: ['Warning'],
    actions: ['Reject'],
    meaning:
      'On weeder’s own pod: the config file has changed and cannot be used. The previous config stays in force. The note has the errors.',
  },
} as const satisfies Reasons;
