import { headed, type Line, type Part, type Picture, type PictureArrow, type PictureBox } from './picture.ts';

/** The communication from one part of the process to another: descriptions, and the names of events. */
interface ActorLink {
  readonly from: string;
  readonly to: string;
  readonly words: readonly string[];
  readonly events: readonly string[];
}

/** In characters. */
const widths = { box: 38, group: 40, root: 90 };

/** The communication between the actors of the running process. The names are those of the machines. */
export const links: readonly ActorLink[] = [
  link('apiServer', 'reflector', ['list and watch']),
  link('manager', 'lease', ['invokes'], ['release.requested']),
  link('lease', 'manager', [], ['leadership.acquired', 'leadership.lost', 'leadership.released']),
  link('lease', 'apiServer', ['reads and writes the Lease']),
  link('manager', 'reflector', ['spawns one for each stream']),
  link('reflector', 'manager', [], ['reflector.synced']),
  link('reflector', 'readiness', ['EndpointSlices']),
  link('reflector', 'podIndex', ['pods']),
  link('readiness', 'endpoint', [], ['endpoint.ready', 'endpoint.notReady', 'endpoint.foundReady']),
  link(
    'endpoint',
    'dependants',
    ['spawns one for each podSelector'],
    ['window.hold', 'window.close', 'config.changed'],
  ),
  link('dependants', 'endpoint', [], ['window.expired', 'pod.skipped']),
  link('dependants', 'podWatch', ['invokes']),
  link('podIndex', 'podWatch', ['crash-looping pods']),
  link('podWatch', 'podDeletion', [], ['pod.crashLooping', 'pod.recovered', 'deletion.withdrawn']),
  link('podDeletion', 'dependants', [], ['pod.deleted', 'deletion.failed']),
  link('podDeletion', 'queue', ['enters']),
  link('queue', 'podDeletion', [], ['slot.granted']),
  link('podDeletion', 'apiServer', ['DELETE, with uid and', 'resourceVersion']),
  link('reflector', 'workloadSummary', ['workloads, and metadata', 'of their sources']),
  link('workloadSummary', 'workload', [], ['workload.changed', 'workload.deleted']),
  link('workload', 'rollout', ['invokes for each restart'], ['workload.changed', 'config.changed']),
  link('rollout', 'pace', ['enters']),
  link('pace', 'rollout', [], ['slot.granted', 'slot.pending', 'slot.blocked']),
  link('workload', 'apiServer', ['GET of changed sources,', 'PATCH of the state']),
  link('rollout', 'apiServer', ['PATCH of the template,', 'with resourceVersion']),
  link('workloadSummary', 'recreation', [], ['job.changed']),
  link('recreation', 'apiServer', ['POST of the deleted Job']),
  link('reflector', 'applications', ['applications, and objects', 'with their label']),
  link('applications', 'application', [], ['application.changed', 'application.deleted']),
  link('applications', 'resource', [], ['object.changed']),
  link('application', 'resource', ['starts a root for each'], ['observation.started', 'resync.due']),
  link('application', 'apiServer', ['applies and deletes,', 'as a ServiceAccount']),
  link('resource', 'apiServer', ['applies observed fields']),
];

/** The picture of the whole actor system. */
export function systemPicture(): Picture {
  return { title: 'The actor system of weeder', root, arrows: links.map(arrowOf) };
}

const root = group(
  'weeder',
  'One process without local state: after a restart it rebuilds everything from the cluster.',
  [
    box('apiServer', 'The Kubernetes API.'),
    group('tree', 'The actors of the process itself.', [
      box('manager', 'Acquires leadership, syncs the caches, runs the controllers, and shuts down.'),
      box('lease', 'Leader election between several replicas.'),
      box('reflector', 'One list and watch stream.'),
    ]),
    group('caches', 'Plain data, decoded from the streams.', [
      box('readiness', 'Whether each service is ready, over all its EndpointSlices.'),
      box('podIndex', 'The pods that crash-loop now, for each distinct podSelector.'),
      box('workloadSummary', 'The ConfigMaps and Secrets that each workload uses, without their content.'),
      box('applications', 'The spec of each application, and the observed fields of its resources.'),
    ]),
    group('services', 'A root for each service that was ready at least once.', [
      box('endpoint', 'One service in one namespace.'),
      box('dependants', 'The dependants of one podSelector, in the window after a recovery.'),
      box('podWatch', 'Has the dependants deleted that crash-loop.'),
    ]),
    group('pods', 'A root for each crash-looping pod that is due for deletion in an open window.', [
      box('podDeletion', 'One pod, from its detection to the outcome.'),
      box('queue', 'A queue in order of arrival, with a limit of requests in flight.'),
    ]),
    group('workloads', 'A root for each workload whose ConfigMaps and Secrets are watched.', [
      box('workload', 'One workload, from a changed source to the end of its rollout.'),
      box('rollout', 'One restart, from the wait for a slot to the end of the rollout.'),
      box('recreation', 'One Job that is deleted, and recreated from its copy.'),
      box('pace', 'Limits of restarts per minute and of concurrent rollouts, fair between namespaces.'),
    ]),
    group('observers', 'A root for each application, and for each of its resources.', [
      box('application', 'One application: applied, then observed, then applied again.'),
      box('resource', 'One resource: compared with what was applied, and corrected, while it is observed.'),
    ]),
  ],
);

function link(from: string, to: string, words: readonly string[], events: readonly string[] = []): ActorLink {
  return { from, to, words, events };
}

function box(id: string, description: string): PictureBox {
  return { id, kind: 'plain', lines: headed(id, description, widths.box), initial: undefined, children: [] };
}

function group(id: string, description: string, children: readonly PictureBox[]): PictureBox {
  return {
    id,
    kind: 'region',
    lines: headed(id, description, id === 'weeder' ? widths.root : widths.group),
    initial: undefined,
    children,
  };
}

function arrowOf({ from, to, words, events }: ActorLink): PictureArrow {
  const lines: Line[] = [...words.map((text) => line(text, 'action')), ...events.map((text) => line(text, 'event'))];
  return { from, to, lines };
}

function line(text: string, kind: Part['kind']): Line {
  return { parts: [{ text, kind }] };
}

/** The actor system as a Mermaid flowchart. */
export function systemMermaid(): string {
  const arrows = links.map(
    ({ from, to, words, events }) => `  ${from} -- "${[...words, ...events].join('<br>')}" --> ${to}`,
  );
  return ['flowchart TD', ...root.children.flatMap(flow), ...arrows, ''].join('\n');
}

function flow({ id, children }: PictureBox): string[] {
  if (children.length === 0) return [`  ${id}`];
  return [`  subgraph ${id}`, ...children.map((child) => `    ${child.id}`), '  end'];
}

/** The actor system as lines for a terminal, one for each sender and receiver. */
export function systemAscii(): string {
  const lines = links.map(
    ({ from, to, words, events }) =>
      [`${from} → ${to}`, [words.join(' '), events.join(', ')].filter((part) => part !== '').join('; ')] as const,
  );
  const width = Math.max(...lines.map(([parts]) => parts.length));
  return lines.map(([parts, text]) => `${parts.padEnd(width)}  ${text}\n`).join('');
}
