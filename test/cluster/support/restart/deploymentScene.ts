import { before } from 'node:test';
import type { ContainerContent } from '@weeder/embedded-cluster';
import type { WorkloadState } from '../../../../src/restart/state/state.ts';
import type { Cleanup } from '../cleanup.ts';
import { type Deployed, deployed } from '../deploy/deployment.ts';
import { eventually } from '../eventually.ts';
import { type TestNamespace, testNamespace } from '../namespace.ts';
import { startRemoteKubelet } from '../plane/remoteKubelet.ts';
import { suiteCleanup } from '../plane/suiteCleanup.ts';
import { type StartOptions, startWeeder, type WeederProcess } from '../weeder.ts';
import { healthy } from './rolledOut.ts';
import { watchTemplates } from './templateWatch.ts';

export type Source = 'configmaps' | 'secrets';

/** A namespace with a simulated kubelet, whose Deployments with the label `managed` a weeder process manages. */
export interface DeploymentScene {
  readonly ns: TestNamespace;
  /** Creates a ConfigMap or Secret; `stringData` of a ConfigMap is its data. */
  make(source: Source, name: string, content: object, annotations?: object): Promise<void>;
  change(source: Source, name: string, patch: object): Promise<void>;
  remove(source: Source, name: string): Promise<void>;
  /** Creates a Deployment of one pod; resolves at once. */
  create(name: string, pod: object, more?: DeploymentOptions): Promise<Deployed>;
  /** The same; resolves when its pods run and it is adopted. */
  deploy(name: string, pod: object, more?: DeploymentOptions): Promise<Deployed>;
  /** Starts a weeder, with these settings beside the usual ones of the section. It ends with `t`. */
  begin(t: Cleanup, section?: object, options?: Partial<StartOptions>): WeederProcess;
  /** The same, and waits until it can hash. */
  start(t: Cleanup, section?: object, options?: Partial<StartOptions>): Promise<WeederProcess>;
  /**
   * Resolves when weeder has handled every earlier change of a source, quiet period included: for assertions that
   * nothing restarts.
   */
  caughtUp(): Promise<void>;
}

export interface DeploymentOptions {
  readonly annotations?: Readonly<Record<string, string>>;
  /** Default: the label that makes it managed. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly replicas?: number;
}

const mergePatch = 'application/merge-patch+json';
export const managed = { managed: 'true' };

/** Sets the scene without a weeder. `startTime`: from a pod's creation to its containers' start, milliseconds. */
export async function setDeploymentScene(t: Cleanup, prefix: string, startTime = 400): Promise<DeploymentScene> {
  const ns = await testNamespace(t, prefix);
  const { cluster, name: namespace } = ns;
  const contents = new Map<string, ContainerContent>();
  const onStart = (
    pod: { readonly metadata: { readonly uid: string } },
    container: string,
    content: ContainerContent,
  ) => void contents.set(`${pod.metadata.uid}/${container}`, content);
  await startRemoteKubelet(ns, { cluster, namespace, program: () => healthy, onStart, startTime });
  const templates = await watchTemplates(ns);
  let markers = 0;

  const create: DeploymentScene['create'] = async (
    name,
    pod,
    { annotations = {}, labels = managed, replicas = 1 } = {},
  ) => {
    const containers = [{ name: 'main', image: 'registry.invalid/web:1' }];
    const spec = { terminationGracePeriodSeconds: 0, containers, ...pod };
    const template = { metadata: { labels: { workload: name } }, spec };
    await cluster.api('POST', ns.path('apis/apps/v1', 'deployments'), {
      metadata: { name, labels, annotations },
      spec: { replicas, selector: { matchLabels: { workload: name } }, template },
    });
    return deployed(ns, name, templates, (uid, container) => contents.get(`${uid}/${container}`));
  };

  const make: DeploymentScene['make'] = (source, name, content, annotations = {}) =>
    cluster
      .api('POST', ns.path('api/v1', source), { metadata: { name, annotations }, ...content })
      .then(() => undefined);

  const change: DeploymentScene['change'] = (source, name, patch) =>
    cluster.api('PATCH', ns.path('api/v1', source, name), patch, mergePatch).then(() => undefined);

  function begin(own: Cleanup, section: object = {}, { flags = [], ...options }: Partial<StartOptions> = {}) {
    const rules = [{ selector: { matchLabels: managed } }];
    const config = { restartControl: { rules, ...quick, hashKey: { namespace }, ...section } };
    return startWeeder(own, { cluster, config, ...options, flags: [`--namespaces=${namespace}`, ...flags] });
  }

  return {
    ns,
    make,
    change,
    create,
    remove: (source, name) => cluster.api('DELETE', ns.path('api/v1', source, name)).then(() => undefined),
    async deploy(name, pod, more) {
      const made = await create(name, pod, more);
      await made.current();
      return made;
    },
    begin,
    async start(own, section, options) {
      const weeder = begin(own, section, options);
      await weeder.log.until('hash key read');
      return weeder;
    },
    async caughtUp() {
      markers += 1;
      const name = `later-${markers}`;
      await make('configmaps', name, { data: { a: '1' } });
      await make('secrets', name, { stringData: { a: '1' } });
      const envFrom = [{ configMapRef: { name } }, { secretRef: { name } }];
      // Without a pod nothing has to restart: the state is written after the quiet period all the same.
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
        { what: `that weeder has seen a later change in ${namespace}` },
      );
      await templates.caughtUp();
    },
  };
}

/** Times and limits that are short enough for a test. */
const quick = {
  quietPeriod: '500ms',
  quietMax: '5s',
  minInterval: '1s',
  maxRestartsPerMinute: 1_000,
  burst: 1_000,
  maxConcurrentRollouts: 100,
  maxAdoptionsPerMinute: 10_000,
};

/** One scene, and one weeder in it, for all tests of the suite in whose body this is called. */
export function suiteDeploymentScene(prefix: string, config: object = {}, startTime?: number): () => DeploymentScene {
  const t = suiteCleanup();
  let scene: DeploymentScene | undefined;
  before(async () => {
    scene = await setDeploymentScene(t, prefix, startTime);
    await scene.start(t, config);
  });
  return () => {
    if (scene === undefined) throw new Error('the scene of this suite is not there before its first test');
    return scene;
  };
}
