import type { ContainerContent } from '@weeder/embedded-cluster';
import type { WorkloadState } from '../../../../src/restart/content/state.ts';
import { type Cleanup, forSuite } from '../cleanup.ts';
import { deployed } from '../deploy/deployment.ts';
import { eventually } from '../eventually.ts';
import type { StartOptions } from '../weeder.ts';
import { setRestartScene } from './restartScene.ts';

export type Source = 'configmaps' | 'secrets';

/** A namespace with a simulated kubelet, in which weeder manages the Deployments with the label `managed`. */
export type DeploymentScene = Awaited<ReturnType<typeof setDeploymentScene>>;

export interface DeploymentOptions {
  readonly annotations?: Readonly<Record<string, string>>;
  /** Default: the label `managed`. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly replicas?: number;
}

export const managed = { managed: 'true' };

/** Creates the scene. `startTime`: from the creation of a pod to the start of its containers. Milliseconds. */
export async function setDeploymentScene(t: Cleanup, prefix: string, startTime = 400) {
  const contents = new Map<string, ContainerContent>();
  const scene = await setRestartScene(t, prefix, {
    startTime,
    onStart: ({ metadata: { uid } }, container, content) => void contents.set(`${uid}/${container}`, content),
  });
  const { ns } = scene;
  const { cluster, name: namespace } = ns;
  let markers = 0;

  const create = async (name: string, pod: object, more: DeploymentOptions = {}) => {
    const { annotations = {}, labels = managed, replicas = 1 } = more;
    const podSpec = { containers: [{ name: 'main', image: 'registry.invalid/web:1' }], ...pod };
    await scene.make('Deployment', name, { annotations, labels, podSpec, spec: { replicas }, isAwaited: false });
    return deployed(scene, name, (uid, container) => contents.get(`${uid}/${container}`));
  };

  const make = async (source: Source, name: string, content: object, annotations: object = {}) => {
    await cluster.api('POST', ns.path('api/v1', source), { metadata: { name, annotations }, ...content });
  };

  const change = async (source: Source, name: string, patch: object) => {
    await cluster.api('PATCH', ns.path('api/v1', source, name), patch);
  };

  const begin = (own: Cleanup, section: object = {}, options: Partial<StartOptions> = {}) => {
    const rules = [{ selector: { matchLabels: managed } }];
    return scene.begin(own, { config: scene.config({ rules, ...quick, ...section }), ...options });
  };

  return {
    ns,
    /** Creates a ConfigMap or Secret. */
    make,
    change,
    /** Creates a Deployment with one pod, and resolves immediately. */
    create,
    async remove(source: Source, name: string) {
      await cluster.api('DELETE', ns.path('api/v1', source, name));
    },
    /** Creates a Deployment, and resolves when its pods run and it is adopted. */
    async deploy(name: string, pod: object, more?: DeploymentOptions) {
      const deployment = await create(name, pod, more);
      await deployment.current();
      return deployment;
    },
    /** Starts a weeder with these settings in addition to the usual ones. It stops with `t`. */
    begin,
    /** Starts a weeder, and resolves when it has read the hash key. */
    async start(own: Cleanup, section?: object, options?: Partial<StartOptions>) {
      const weeder = begin(own, section, options);
      await weeder.log.until('hash key read');
      return weeder;
    },
    /**
     * Resolves when weeder has handled all earlier changes of sources, including their quiet periods. Used before
     * assertions that nothing restarts.
     */
    async caughtUp() {
      markers += 1;
      const name = `later-${markers}`;
      await make('configmaps', name, { data: { a: '1' } });
      await make('secrets', name, { stringData: { a: '1' } });
      const envFrom = [{ configMapRef: { name } }, { secretRef: { name } }];
      // Without pods nothing restarts, but weeder still updates the state after the quiet period.
      const marker = await create(name, { containers: [{ name: 'main', image: 'none:1', envFrom }] }, { replicas: 0 });
      const before = await marker.current();
      await change('configmaps', name, { data: { a: '2' } });
      await change('secrets', name, { stringData: { a: '2' } });
      const isNew = (key: string, now: WorkloadState) => now.rolledOut.get(key)?.tag !== before.rolledOut.get(key)?.tag;
      await eventually(
        async (saw) => {
          const now = await marker.state();
          saw(now);
          return (
            now !== undefined && ['configmap', 'secret'].every((kind) => isNew(`${kind}/${namespace}/${name}`, now))
          );
        },
        { what: `the state after a later change in ${namespace}` },
      );
    },
  };
}

/** A busy machine sends two changes of a test within this quiet period. */
const quick = { quietPeriod: '500ms', minInterval: '1s', maxConcurrentRollouts: 100 };

/** Creates one scene with one weeder for all tests of the calling suite. */
export function suiteDeploymentScene(prefix: string, config: object = {}, startTime?: number): () => DeploymentScene {
  return forSuite(async (t) => {
    const scene = await setDeploymentScene(t, prefix, startTime);
    await scene.start(t, config);
    return scene;
  });
}
