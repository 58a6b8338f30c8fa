import assert from 'node:assert/strict';
import type { Overview, OverviewGroup, ServiceView } from '@weeder/live-page';
import { downAgain, misspelt, neverReady, recovered } from './services.ts';

const groupsOf = (groups: readonly OverviewGroup[], view: string) =>
  groups.filter((group) => group.view === view).flatMap(({ lines }) => lines);
const words = (groups: readonly OverviewGroup[], view: string) =>
  groupsOf(groups, view).map((line) => `${line.object}: ${line.words}`);
const inNamespace = (namespace: string, names: readonly string[]) =>
  names.map((name) => `Service ${namespace}/${name}`);
const name = (n: number) => `name-${n}`;

/** Asserts that everything that is wrong in the scene can be read from the overview, and nothing else. */
export function assertOverview({ problems, waits, did, controllers }: Overview): void {
  const down = problems.find(({ severity }) => severity === 'down');
  assert.equal(down?.total, 30);
  assert.deepEqual(
    new Set(down?.lines.map(({ object }) => object)),
    new Set([
      ...inNamespace('team-01', [...downAgain, ...[13, 14, 15].map(name)]),
      ...inNamespace('team-02', [...recovered, ...[13, 14, 15].map(name)]),
      ...inNamespace('team-20', neverReady),
    ]),
  );
  assert.match(down?.lines[0]?.words ?? '', /^Down for .*, 3 crash-looping$/, 'the worst first');
  const held = words(problems, 'services').filter((line) => line.includes('Window held: down again'));
  assert.deepEqual(held.length, downAgain.length);
  const never = words(problems, 'services').filter((line) => line.includes('not ready since weeder started'));
  assert.equal(never.length, neverReady.length);
  const services = words(problems, 'services').join('\n');
  assert.match(
    services,
    /Service team-01\/name-3: Window open, deletion refused, .*: Pod team-01\/refused: .*pods "refused" is forbidden/,
  );
  assert.ok(services.includes(`Service ${misspelt}: In no watched namespace`));
  const restarts = words(problems, 'workloads');
  assert.equal(restarts.length, 3);
  assert.match(restarts.join('\n'), /Deployment shop\/blocked: Blocked: ConfigMap shop\/blocked is missing/);
  assert.match(restarts.join('\n'), /Deployment shop\/breaker: Blocked: it was restarted 5 times/);
  assert.match(restarts.join('\n'), /Deployment shop\/stalled: Rollout stalled: .*ImagePullBackOff/);
  const applications = words(problems, 'applications');
  assert.equal(applications.length, 5);
  assert.match(applications.join('\n'), /shop\/account: .*the ServiceAccount shop\/gone does not exist/);
  assert.match(applications.join('\n'), /shop\/contested: Correction back-off: .* by evil-bot/);
  assert.match(applications.join('\n'), /shop\/detect: Drifted, only reported: .*ConfigMap shop\/detect/);
  assert.match(applications.join('\n'), /shop\/refused: Refused: .*ConfigMap shop\/refused/);
  assert.match(applications.join('\n'), /shop\/invalid: Invalid: .*duplicate/);
  assert.deepEqual(
    new Set(groupsOf(waits, 'services').map(({ object }) => object)),
    new Set(inNamespace('team-01', recovered)),
  );
  assert.ok(groupsOf(waits, 'services').every(({ next }) => next?.words === 'closes'));
  const pending = words(waits, 'workloads');
  assert.equal(pending.length, 4);
  assert.match(pending.join('\n'), /Deployment night\/night: Restart pending: no maintenance window is open/);
  assert.match(pending.join('\n'), /Deployment shop\/paused: Restart pending: it is paused until/);
  assert.match(pending.join('\n'), /Deployment shop\/rolling: Rolling out/);
  assert.match(pending.join('\n'), /Deployment shop\/slot: Restart pending: others are ahead of it/);
  const later = groupsOf(waits, 'applications').map(({ object, next }) => [object, next?.words]);
  assert.deepEqual(later, [
    ['ConfigMap shop/contested', 'corrected'],
    ['Application shop/paused', 'resumed'],
  ]);
  const counts = new Map(did.counts.map(({ words, count }) => [words, count]));
  assert.deepEqual(
    ['windows opened', 'pods deleted', 'restarts'].map((words) => counts.get(words)),
    [12, 1, 7],
  );
  assert.ok((counts.get('corrections') ?? 0) >= 4);
  assert.deepEqual(
    controllers.map(({ summary }) => summary),
    [
      '270 of 300 services ready',
      '33 workloads, 3 of them with a problem',
      '40 Applications, 5 of them with a problem',
    ],
  );
}

/** Asserts the same of the list of services. */
export function assertServices(services: readonly ServiceView[]): void {
  const those = (is: (service: ServiceView) => boolean) =>
    services
      .filter(is)
      .map(({ namespace, service }) => `${namespace}/${service}`)
      .sort();
  const named = (namespace: string, names: readonly string[]) => names.map((each) => `${namespace}/${each}`).sort();
  assert.equal(services.length, 301);
  assert.equal(those(({ isReady }) => !isReady).length, 31);
  assert.deepEqual(
    those(({ exists }) => !exists),
    [`/${misspelt}`],
  );
  assert.deepEqual(
    those(({ window }) => window !== undefined),
    named('team-01', recovered),
  );
  assert.deepEqual(
    those(({ state }) => state === 'notReady.holding'),
    named('team-01', downAgain),
  );
  assert.deepEqual(
    those(({ crashLooping }) => crashLooping > 0),
    [...named('team-01', ['name-13', 'name-3']), 'team-02/name-1'],
  );
  assert.deepEqual(
    those(({ failure }) => failure !== undefined),
    ['team-01/name-3'],
  );
}
