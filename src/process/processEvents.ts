import type { EventDraft, ObjectRef } from '../kube/events/event.ts';
import type { ProcessEvent, ReportProcess } from './processLog.ts';

/** Every Kubernetes Event that weeder tells of itself, on its own pod, by its reason; as src/weeder/report/eventTable.ts. */
export const processEventTable = {
  ConfigApplied: {
    about: 'Pod',
    types: ['Normal'],
    actions: ['Apply'],
    meaning:
      'On weeder’s own pod: the config file has changed, and is in force. Names what was added, changed and removed.',
  },
  ConfigRejected: {
    about: 'Pod',
    types: ['Warning'],
    actions: ['Reject'],
    meaning:
      'On weeder’s own pod: the config file has changed and cannot be used. The config from before stays in force. Says what is wrong.',
  },
} as const;

/** The pod that this process runs in, as deploy/base tells it by the environment; undefined: in none that is known. */
export function ownPod(env: NodeJS.ProcessEnv): ObjectRef | undefined {
  const [name, namespace, uid] = [env['POD_NAME'], env['POD_NAMESPACE'], env['POD_UID']];
  if (!name || !namespace) return undefined;
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: uid || undefined };
}

/** Tells what became of a config on weeder's own pod; of leadership the Lease tells. */
export function tellProcess(pod: ObjectRef, record: (occurrence: EventDraft) => void): ReportProcess {
  return (fact) => {
    if (fact.type === 'config.applied') {
      record({ regarding: pod, type: 'Normal', reason: 'ConfigApplied', action: 'Apply', note: appliedNote(fact) });
    }
    if (fact.type === 'config.rejected') {
      const note = `The config from before stays in force. ${fact.problem.message}`;
      record({ regarding: pod, type: 'Warning', reason: 'ConfigRejected', action: 'Reject', note });
    }
  };
}

function appliedNote({
  added,
  changed,
  removed,
  restartControl,
  observer,
}: Extract<ProcessEvent, { type: 'config.applied' }>): string {
  const services = Object.entries({ added, changed, removed })
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what}: ${names.join(', ')}`);
  const sections = Object.entries({ restartControl, observer }).flatMap(([name, what]) =>
    what === undefined ? [] : [`${name} ${what}`],
  );
  const parts = [...services, ...sections];
  return parts.length === 0 ? 'Applied: it says the same as before.' : `Applied: ${parts.join('; ')}.`;
}
