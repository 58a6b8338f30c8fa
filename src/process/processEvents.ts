import type { EventDraft, ObjectRef } from '@weeder/kube-runtime/events';
import type { ProcessEvent, ReportProcess } from './processLog.ts';

/**
 * Every Kubernetes Event that weeder records about itself, on its own pod, by reason; compare
 * src/weeder/report/reasons.ts.
 */
export const processEventTable = {
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
} as const;

/** The pod of this process, from the environment variables that deploy/base sets; undefined: it is not known. */
export function ownPod(env: NodeJS.ProcessEnv): ObjectRef | undefined {
  const [name, namespace, uid] = [env['POD_NAME'], env['POD_NAMESPACE'], env['POD_UID']];
  if (!name || !namespace) return undefined;
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: uid || undefined };
}

/** Records on weeder's own pod whether a config was applied or rejected. Events about leadership are on the Lease. */
export function recordProcessEvents(pod: ObjectRef, record: (occurrence: EventDraft) => void): ReportProcess {
  return (event) => {
    if (event.type === 'config.applied') {
      record({ regarding: pod, type: 'Normal', reason: 'ConfigApplied', action: 'Apply', note: appliedNote(event) });
    }
    if (event.type === 'config.rejected') {
      const note = `The previous config stays in force. ${event.problem.message}`;
      record({ regarding: pod, type: 'Warning', reason: 'ConfigRejected', action: 'Reject', note });
    }
  };
}

function appliedNote(event: Extract<ProcessEvent, { type: 'config.applied' }>): string {
  const { type: _, generation: _generation, added, changed, removed, ...sections } = event;
  const services = Object.entries({ added, changed, removed })
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what}: ${names.join(', ')}`);
  const parts = [...services, ...Object.entries(sections).map(([name, what]) => `${name} ${what}`)];
  return parts.length === 0 ? 'Applied: no setting has changed.' : `Applied: ${parts.join('; ')}.`;
}
