import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KubeObject, sourcesOf } from '@weeder/embedded-cluster';
import { objectOf, textOf } from '@weeder/kube-runtime/base';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import type { SourceRef } from '../../../src/restart/references/refs.ts';
import { type LateWorld, lateWorld, withVolumes } from '../../support/world/lateWorld.ts';
import { configMap } from '../../support/world/restartWorld.ts';

const { numRuns, seed } = propertyRuns(60);
const second = 1_000;

const settings = configMap('settings');
const password: SourceRef = { kind: 'Secret', namespace: 'shop', name: 'password' };
/** Of another namespace and of another kind: no pod waits for them. */
const namesakes: readonly SourceRef[] = [
  { kind: 'ConfigMap', namespace: 'other', name: 'settings' },
  { kind: 'Secret', namespace: 'shop', name: 'settings' },
];
const sources = [settings, password, ...namesakes];

const web = withVolumes([settings]);
const both = withVolumes([settings, password]);
const opted = { annotations: { 'weeder.dev/restart-on-change': 'false' } };

interface Step {
  readonly what: string;
  readonly step: (world: LateWorld) => void | Promise<void>;
}

const source = fc.constantFrom(...sources);
const pause = fc.constantFrom(0.5, 1, 2, 3, 10, 30, 65, 130);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: pause.map((time): Step => ({ what: `${time} s`, step: (world) => world.pass(time * second) })),
  },
  {
    weight: 4,
    arbitrary: source.map(
      (ref): Step => ({
        what: `put ${ref.namespace} ${ref.kind} ${ref.name}`,
        step: (world) => world.putSource(ref, { a: String(world.clock.now()) }),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: source.map(
      (ref): Step => ({
        what: `delete ${ref.namespace} ${ref.kind} ${ref.name}`,
        step: (world) => world.deleteSource(ref),
      }),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ what: 'another weeder', step: (world) => world.restart() }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('web', 'both').map(
      (name): Step => ({
        what: `delete the pods of ${name}`,
        step: (world) => {
          for (const { metadata } of world.podsOf(name)) world.deletePod(metadata.name);
        },
      }),
    ),
  },
);

/** Checks each eviction when it is requested, and returns the workloads whose pods were evicted. */
function judge(world: LateWorld): { readonly app: string; readonly at: number }[] {
  const evictions: { app: string; at: number }[] = [];
  const seen = new Set<string>();
  world.onRequest(({ path }) => {
    const name = /\/pods\/([^/]+)\/eviction$/.exec(path)?.[1];
    const pod = world.podsOf().find(({ metadata }) => metadata.name === name);
    if (pod === undefined) return undefined;
    const app = appOf(pod);
    assert.ok(['web', 'both'].includes(app), `a pod of ${app} was evicted`);
    assert.ok(!world.kubelet.started.has(pod.metadata.uid), 'it has started');
    assert.ok(!seen.has(pod.metadata.uid), 'it was evicted before');
    assert.ok(sourcesOf(world.store, 'shop', objectOf(pod['spec'])).files().ok, 'its sources are missing');
    seen.add(pod.metadata.uid);
    evictions.push({ app, at: world.clock.now() });
    return undefined;
  });
  return evictions;
}

function appOf({ metadata }: KubeObject): string {
  return textOf(objectOf(metadata.labels)['app']) ?? '';
}

test('whatever comes and goes, only pods that wait are evicted, and once for each appearance', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 30 }), async (run) => {
      const world = await lateWorld();
      const appearances: number[] = [];
      const evictions = judge(world);
      world.watchSources(() => appearances.push(world.clock.now()));
      world.putWorkload('web', web);
      world.putWorkload('both', both);
      world.putWorkload('unmanaged', both, opted);
      await world.pass(90 * second);
      for (const { step } of run) await step(world);
      await world.pass(300 * second);
      for (const app of ['web', 'both']) {
        const times = evictions.filter((each) => each.app === app).map(({ at }) => at);
        // Between two evictions of a workload with one pod, a source has appeared.
        for (const [index, at] of times.entries()) {
          const from = times[index - 1] ?? 0;
          assert.ok(appearances.some((each) => from <= each && each <= at));
        }
      }
      world.stop();
    }),
    { numRuns, seed },
  );
});

test('with random sources, a pod starts within seconds of the appearance of its last source, or when its kubelet tries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 0, max: 60 }), async (first, gap) => {
      const world = await lateWorld();
      judge(world);
      world.putWorkload('both', both);
      await world.pass(first * second);
      world.putSource(settings, { a: '1' });
      await world.pass(gap * second);
      world.putSource(password, { a: '1' });
      // Settling, and an attempt that was near and may be late.
      await world.pass(17 * second);
      assert.equal(world.kubelet.started.size, 1);
      world.stop();
    }),
    { numRuns, seed },
  );
});
