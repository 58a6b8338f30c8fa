import type { ContainerContent } from '@weeder/embedded-cluster';
import type { WorkloadState } from '../../../../src/restart/content/state.ts';
import { rolloutOf } from '../../../../src/restart/pods/rollout.ts';
import { eventsOf } from '../events.ts';
import { eventually } from '../eventually.ts';
import { KubeObject, type Pod } from '../objects.ts';
import type { RestartScene } from '../restart/restartScene.ts';
import { podsOf } from '../restart/workloads.ts';

/** A Deployment of a scene. */
export interface Deployed {
  readonly name: string;
  read(): Promise<KubeObject>;
  /** The stored state. Undefined if there is none. */
  state(): Promise<WorkloadState | undefined>;
  /** The number of changes of its pod template, as observed by a watch of the test. */
  rollouts(): Promise<number>;
  pods(): Promise<Pod[]>;
  /** The uids of its pods. */
  uids(): Promise<string[]>;
  /** Waits until it is adopted, no rollout is in progress, and the desired number of pods run. Returns the state. */
  current(): Promise<WorkloadState>;
  /** Waits until the rollout with this number is complete and recorded. */
  restarted(times: number): Promise<void>;
  /** The environment and files with which a container of the only pod was started. */
  content(container?: string): Promise<ContainerContent | undefined>;
  /** The environment and files of the container `main` of each pod. */
  contents(): Promise<ContainerContent[]>;
  patch(body: object): Promise<void>;
  /** Waits for an Event with this reason that matches, and returns the notes of all Events with the reason. */
  reported(reason: string, text?: RegExp): Promise<string[]>;
}

export function deployed(
  scene: RestartScene,
  name: string,
  contentOf: (podUid: string, container: string) => ContainerContent | undefined,
): Deployed {
  const { ns } = scene;
  const path = scene.pathOf('Deployment', name);
  const deployment: Deployed = {
    name,
    read: async () => KubeObject.parse(await ns.cluster.api('GET', path)),
    state: () => scene.state('Deployment', name),
    rollouts: () => scene.rollouts('Deployment', name),
    pods: () => scene.pods(name),
    uids: async () => (await deployment.pods()).map(({ metadata }) => metadata.uid).sort(),
    current: () =>
      scene.until('Deployment', name, `that ${name} is adopted, and its rollouts are over`, (version, saw) => {
        const { summary, state } = version;
        const progress = rolloutOf(summary);
        saw({ state, progress });
        const isOver = state?.workloadUid === summary.uid && state.target === undefined;
        return isOver && progress.type === 'complete' && state;
      }),
    async restarted(times) {
      await scene.until('Deployment', name, `rollout ${times} of ${name}`, ({ rollouts }) => rollouts >= times);
      await deployment.current();
    },
    async content(container = 'main') {
      const [pod] = await podsOf(ns, { workload: name }, 1);
      return contentOf(pod?.metadata.uid ?? '', container);
    },
    async contents() {
      return (await deployment.pods()).flatMap(({ metadata }) => contentOf(metadata.uid, 'main') ?? []);
    },
    async patch(body) {
      await ns.cluster.api('PATCH', path, body);
    },
    reported: (reason, text = /./) =>
      eventually(
        async (saw) => {
          const events = await eventsOf(ns, `involvedObject.name=${name}`);
          saw(events.map((each) => `${each.reason}: ${each.message}`));
          const messages = events.filter((each) => each.reason === reason).map(({ message }) => message);
          return messages.some((each) => text.test(each)) && messages;
        },
        { what: `an Event ${reason} on ${name}` },
      ),
  };
  return deployment;
}
