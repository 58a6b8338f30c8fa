import { headed, type Line, type Picture, type PictureArrow, type PictureBox } from './picture.ts';

/** What one part of the process says to another: words, and the events by their names. */
interface Saying {
  readonly from: string;
  readonly to: string;
  readonly words: readonly string[];
  readonly events: readonly string[];
}

/** The actors of the running process, and what they say to each other; the names are those of the machines. */
export const sayings: readonly Saying[] = [
  saying('apiServer', 'reflector', ['list and watch']),
  saying('manager', 'lease', ['invokes'], ['release.requested']),
  saying('lease', 'manager', [], ['leadership.acquired', 'leadership.lost', 'leadership.released']),
  saying('lease', 'apiServer', ['reads and writes the Lease']),
  saying('manager', 'reflector', ['spawns one for each stream']),
  saying('reflector', 'manager', [], ['reflector.synced']),
  saying('reflector', 'readiness', ['EndpointSlices']),
  saying('reflector', 'podIndex', ['pods']),
  saying('readiness', 'endpoint', [], ['endpoint.ready', 'endpoint.notReady', 'endpoint.foundReady']),
  saying('endpoint', 'dependants', ['spawns one for each podSelector', 'of the window'], ['window.hold']),
  saying('podIndex', 'dependants', [], ['pod.crashLooping']),
  saying('dependants', 'podDeletion', [], ['pod.crashLooping', 'pod.left', 'windows.open', 'windows.closed']),
  saying('podDeletion', 'queue', ['enters']),
  saying('queue', 'podDeletion', [], ['slot.granted']),
  saying('podDeletion', 'apiServer', ['DELETE, with uid and', 'resourceVersion']),
  saying('reflector', 'workloadSummary', ['workloads; of their sources', 'the metadata']),
  saying('workloadSummary', 'workload', [], ['workload.changed', 'workload.gone']),
  saying('workload', 'pace', ['enters']),
  saying('pace', 'workload', [], ['slot.granted', 'slot.pending', 'slot.blocked']),
  saying('workload', 'apiServer', ['GET of what has changed,', 'PATCH, with resourceVersion']),
  saying('workloadSummary', 'recreation', [], ['job.changed']),
  saying('recreation', 'apiServer', ['POST of what was deleted']),
  saying('reflector', 'applications', ['applications, and what', 'carries their label']),
  saying('applications', 'application', [], ['application.changed', 'application.gone']),
  saying('applications', 'resource', [], ['object.changed']),
  saying('application', 'resource', ['its observer starts', 'a root for each'], ['resync.due']),
  saying('application', 'apiServer', ['applies and deletes,', 'as a ServiceAccount']),
  saying('resource', 'apiServer', ['applies what is observed']),
];

/** The picture of the whole actor system. */
export function systemPicture(): Picture {
  return { title: 'The actor system of weeder', root, arrows: sayings.map(arrowOf) };
}

const root = group('weeder', 'One process. Nothing is persisted: after a restart all is rebuilt from the cluster.', [
  box('apiServer', 'The Kubernetes API.'),
  group('tree', 'The small tree of the process itself.', [
    box('manager', 'Leadership first, then complete caches, then weeding, and an orderly end.'),
    box('lease', 'Leader election, where there are several replicas.'),
    box('reflector', 'One list+watch stream each.'),
  ]),
  group('caches', 'Plain data, straight from the bytes of the streams.', [
    box('readiness', 'Whether each service is ready, over all its EndpointSlices.'),
    box('podIndex', 'The pods that crash-loop now, for each distinct podSelector.'),
    box('workloadSummary', 'Which workload uses which ConfigMaps and Secrets; no content of them.'),
    box('applications', 'What each application says, and the observed part of each of its resources.'),
  ]),
  group('services', 'A root for each service that was ready at least once.', [
    box('endpoint', 'One service in one namespace.'),
    box('dependants', 'The pods of one podSelector, for the length of one window.'),
  ]),
  group('pods', 'A root for each crash-looping pod that an open window wants deleted.', [
    box('podDeletion', 'One pod, from the first sight to the outcome.'),
    box('queue', 'A queue in order of arrival, with a limit of requests in flight.'),
  ]),
  group('workloads', 'A root for each workload whose ConfigMaps and Secrets are watched.', [
    box('workload', 'One workload, from a changed source to the end of its rollout.'),
    box('recreation', 'One Job that is deleted and recreated, from its copy.'),
    box('pace', 'Limits of restarts per minute and of concurrent rollouts, fair between namespaces.'),
  ]),
  group('observers', 'A root for each application; while it is observed, one for each of its resources.', [
    box('application', 'One application: applied, then observed, then applied again.'),
    box('resource', 'One resource: compared with what was applied, and corrected.'),
  ]),
]);

function saying(from: string, to: string, words: readonly string[], events: readonly string[] = []): Saying {
  return { from, to, words, events };
}

function box(id: string, description: string): PictureBox {
  return { id, kind: 'plain', lines: headed(id, description), initial: undefined, children: [] };
}

function group(id: string, description: string, children: readonly PictureBox[]): PictureBox {
  return { ...box(id, description), kind: 'region', children };
}

function arrowOf({ from, to, words, events }: Saying): PictureArrow {
  const lines: Line[] = [
    ...words.map((text) => ({ text, kind: 'action' }) as const),
    ...events.map((text) => ({ text, kind: 'event' }) as const),
  ];
  return { from, to, lines };
}

/** The actor system as a Mermaid flowchart. */
export function systemMermaid(): string {
  const arrows = sayings.map(
    ({ from, to, words, events }) => `  ${from} -- "${[...words, ...events].join('<br>')}" --> ${to}`,
  );
  return ['flowchart TD', ...root.children.flatMap(flow), ...arrows, ''].join('\n');
}

function flow({ id, children }: PictureBox): string[] {
  if (children.length === 0) return [`  ${id}`];
  return [`  subgraph ${id}`, ...children.map((child) => `    ${child.id}`), '  end'];
}

/** The actor system as lines for a terminal: who says what to whom. */
export function systemAscii(): string {
  const lines = sayings.map(
    ({ from, to, words, events }) =>
      [`${from} → ${to}`, [words.join(' '), events.join(', ')].filter((part) => part !== '').join('; ')] as const,
  );
  const width = Math.max(...lines.map(([who]) => who.length));
  return lines.map(([who, what]) => `${who.padEnd(width)}  ${what}\n`).join('');
}
