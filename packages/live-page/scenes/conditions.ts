import type { ControllerSummary, Overview, ProcessView } from '../protocol/overviewView.ts';
import type { PageMessage } from '../protocol/protocol.ts';
import { overviewScene, scene } from './scenes.ts';
import { hello, overviewView, processView } from './views.ts';

/** What the page shows of a weeder that cannot do its work, or has none. */
interface Condition {
  /** The first messages. */
  readonly greeting: readonly PageMessage[];
  readonly overview: Overview;
}

export const conditionNames = [
  'standby',
  'dry-run',
  'rejected-config',
  'missing-permission',
  'disconnected',
  'empty-cluster',
] as const;
export type ConditionName = (typeof conditionNames)[number];

/** The conditions that an operator may find. `now`: epoch milliseconds. */
export function conditionsAt(now: number): Readonly<Record<ConditionName, Condition>> {
  const config = { hash: '1a2b3c4d', appliedAt: now - 4_000_000, rejected: undefined };
  const head = (changes: Partial<ProcessView> = {}): PageMessage => {
    return { type: 'process', process: processView({ config, ...changes }) };
  };
  const [greeting, ...cluster] = scene(now);
  const atWork = (first = greeting, changes: Partial<ProcessView> = {}) => ({
    greeting: [first ?? hello(now), head(changes), ...cluster],
    overview: overviewScene(now),
  });
  const idle = (summary: string, ...messages: readonly PageMessage[]) => ({
    greeting: [hello(now), ...messages, head(), { type: 'services', services: [] } as const],
    overview: overviewView({ did: nothingDone(now), controllers: onlyWeeder(summary) }),
  });
  const { did, ...rest } = overviewScene(now);
  return {
    standby: idle('', { type: 'leadership', state: 'standingBy', holder: 'weeder-9k2p', heldSince: now - 1_500_000 }),
    'dry-run': {
      ...atWork({ type: 'hello', version: '0.1.0', mode: 'live', now, isDryRun: true }),
      overview: { ...rest, did: { ...did, isDryRun: true } },
    },
    'rejected-config': atWork(greeting, {
      config: { ...config, rejected: 'weeder.yaml:7: servicesAndDependantSelectors.db: unknown key "podSelector"' },
    }),
    'missing-permission': atWork(greeting, { streams: ['web', 'cart'].map(refusedPods) }),
    disconnected: atWork(),
    'empty-cluster': idle('No service is configured or declared'),
  };
}

function nothingDone(now: number): Overview['did'] {
  const counts: Overview['did']['counts'] = [
    { words: 'pods deleted', kind: 'deletion', count: 0 },
    { words: 'back-off saved', kind: 'deletion', count: 0, isTime: true },
  ];
  return { from: now - 3_600_000, isDryRun: false, counts };
}

function onlyWeeder(summary: string): ControllerSummary[] {
  const off = { state: 'off' as const, summary: '', since: undefined };
  return [
    { name: 'weeder', state: 'on', summary, since: undefined, example: [] },
    {
      name: 'restart control',
      ...off,
      example: ['restartControl:', '  rules:', '    - kinds: [Deployment, StatefulSet, DaemonSet]'],
    },
    { name: 'the application observer', ...off, example: ['observer: {}'] },
  ];
}

/** As the API server refuses it, for one of several streams. */
function refusedPods(app: string): ProcessView['streams'][number] {
  const user = 'system:serviceaccount:weeder:weeder';
  const denial = `pods is forbidden: User "${user}" cannot list resource "pods" in API group "" at the cluster scope`;
  const grant = 'Grant it in a ClusterRole: {apiGroups: [""], resources: ["pods"], verbs: ["list"]}.';
  const problem = `https://10.96.0.1:443 refused (403): ${denial}. ${grant}`;
  return { name: `pods app=${app}`, problem };
}
