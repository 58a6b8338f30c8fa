import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { type ContainerState, notPulled, running, terminated } from '../../support/objects/objects.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const hosts = ['registry.images.svc:5000', 'other.images.svc:5000', 'docker.io'] as const;
const errors = ['dial tcp 10.0.0.1:5000: i/o timeout', 'web:1: not found', ''] as const;

/** One container, as the kubelet reports it: what it is, and whether it may be the reason of a deletion. */
type Drawn =
  | { readonly is: 'pull'; readonly host: (typeof hosts)[number]; readonly error: (typeof errors)[number] }
  | { readonly is: 'creating' | 'running' | 'ended' | 'noConfig' };

const pull = fc.record({
  is: fc.constant('pull' as const),
  host: fc.constantFrom(...hosts),
  error: fc.constantFrom(...errors),
});
const another = fc.record({ is: fc.constantFrom('creating', 'running', 'ended', 'noConfig') });
const container: fc.Arbitrary<Drawn> = fc.oneof({ weight: 4, arbitrary: pull }, { weight: 1, arbitrary: another });
const podNames = ['a', 'b', 'c'] as const;
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      pod: fc.constantFrom(...podNames),
      main: fc.array(container, { minLength: 1, maxLength: 2 }),
      init: fc.array(container, { maxLength: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ ready: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ pass: fc.constantFrom(1, 1000, 11_000, 40_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function stateOf(drawn: Drawn): ContainerState {
  if (drawn.is === 'pull') return notPulled({ image: `${drawn.host}/web:1`, error: drawn.error });
  if (drawn.is === 'running') return running();
  if (drawn.is === 'ended') return terminated(0, 0, 0);
  return {
    state: { waiting: { reason: drawn.is === 'creating' ? 'ContainerCreating' : 'CreateContainerConfigError' } },
  };
}

/**
 * The rule in other words: whether the pod waits for nothing but images of the registry, which was away, and was so when
 * the kubelet last said why.
 */
function isRightNow(drawn: readonly Drawn[], wasRight: boolean): boolean {
  const waits = drawn.filter(({ is }) => is !== 'creating');
  return (
    waits.length > 0 &&
    waits.every(
      (each) =>
        each.is === 'pull' && each.host === hosts[0] && (each.error === errors[0] || (each.error === '' && wasRight)),
    )
  );
}

async function play(steps: readonly Step[], at: World): Promise<void> {
  const right = new Map<string, boolean>();
  let seen = 0;
  const check = () => {
    for (const { name } of at.deletions.slice(seen)) {
      assert.equal(right.get(name), true, `${name} was deleted`);
      right.delete(name);
    }
    seen = at.deletions.length;
    // What is known to crash-loop or to wait for the registry is exactly what the rule says.
    assert.equal(at.weeder.declaredPods.size(), [...right.values()].filter(Boolean).length);
  };
  for (const each of steps) {
    if ('ready' in each) at.slice({ namespace: 'images', service: 'registry', ready: [each.ready] });
    else if ('pass' in each) await at.clock.pass(each.pass);
    else {
      const drawn = [...each.init, ...each.main];
      right.set(each.pod, isRightNow(drawn, right.get(each.pod) ?? false));
      at.put({
        name: each.pod,
        phase: 'Pending',
        labels: { 'weeder.dev/depends-on': 'registry.images' },
        containers: each.main.map(stateOf),
        initContainers: each.init.map(stateOf),
      });
    }
    await at.clock.pass(0);
    check();
  }
}

test('whatever kubelets report, only pods are deleted that wait for nothing but a registry that was away', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const at = world({ services: [], declared: { services: new Set(['images/registry']) } });
      await play(steps, at);
      await ends(at);
    }),
    propertyRuns(200),
  );
});
