import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { formatFieldErrors } from '../../src/base/fieldError.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { knownDependencies, mergeDependencies } from '../../src/dependencies/dependency.ts';
import { drawDependencies } from '../../src/dependencies/draw.ts';
import { readObjects } from '../../src/suggest/observed.ts';
import { suggestDependencies } from '../../src/suggest/suggestDependencies.ts';
import { suggestionConfig } from '../../src/suggest/suggestionConfig.ts';
import { suggestionLabels } from '../../src/suggest/suggestionLabels.ts';
import { suggestionTable } from '../../src/suggest/suggestionTable.ts';
import { service, workload } from './support.ts';

const env = [
  { name: 'DATABASE_URL', value: 'postgres://postgres:5432/shop' },
  { name: 'QUEUE', value: 'queue.messaging:5672' },
];
const services = [
  service('postgres', { ports: [5432] }),
  service('redis', { ports: [6379] }),
  service('queue', { namespace: 'messaging', ports: [5672] }),
];
const shop = [
  ...services,
  workload('web', { container: { env } }),
  workload('cart', {
    kind: 'StatefulSet',
    labels: { 'weeder.dev/depends-on': 'redis' },
    container: { args: ['http://queue.messaging'] },
  }),
];

function search(objects: readonly JsonObject[]) {
  const observed = readObjects(objects);
  return { observed, dependencies: mergeDependencies(suggestDependencies(observed, undefined)) };
}

test('the table has one line for each dependency, with its state and its reason', () => {
  assert.deepEqual(suggestionTable(search(shop).dependencies), [
    'CONFIDENCE  WORKLOAD               DEPENDS ON       STATE               EVIDENCE',
    'high        deployment/shop/web    messaging/queue  suggested           env QUEUE of container main: queue.messaging:5672, with a port of the Service',
    'high        deployment/shop/web    shop/postgres    suggested           env DATABASE_URL of container main: postgres:5432, with a port of the Service',
    'medium      statefulset/shop/cart  messaging/queue  suggested           args of container main: queue.messaging, a URL',
    '-           statefulset/shop/cart  shop/redis       declared, not seen',
  ]);
  assert.deepEqual(suggestionTable([]), ['no dependencies were found']);
});

test('a Service that weeder cannot watch is marked: it is missing, or of type ExternalName', () => {
  const states = search(shop).dependencies.map((each) => suggestionTable([{ ...each, isFound: false }])[1]);
  assert.ok(states.every((line) => line?.includes(', no such Service, or ExternalName')));
});

test('the labels keep what is declared, and name further services in the annotation', () => {
  const { dependencies, observed } = search(shop);
  const lines = suggestionLabels(dependencies, observed);
  assert.deepEqual(
    lines.filter((line) => !line.startsWith('#')),
    [
      `kubectl patch deployment web -n shop --type merge -p '{"spec":{"template":{"metadata":{"labels":{"weeder.dev/depends-on":"queue.messaging"},"annotations":{"weeder.dev/depends-on-services":"postgres"}}}}}'`,
      `kubectl patch statefulset cart -n shop --type merge -p '{"spec":{"template":{"metadata":{"labels":{"weeder.dev/depends-on":"redis"},"annotations":{"weeder.dev/depends-on-services":"queue.messaging"}}}}}'`,
    ],
  );
  assert.equal(lines.filter((line) => /^# (high|medium): \w+\/\w+, /.test(line)).length, 3);
});

test('what its commands have declared is not suggested again', () => {
  const labels = { 'weeder.dev/depends-on': 'queue.messaging' };
  const annotations = { 'weeder.dev/depends-on-services': 'postgres' };
  const { dependencies, observed } = search([
    ...services,
    workload('web', { container: { env }, labels, annotations }),
  ]);
  assert.equal(dependencies.length, 2);
  assert.deepEqual(suggestionLabels(dependencies, observed), [
    '# every dependency that was found is declared or configured',
  ]);
  assert.deepEqual(suggestionConfig(dependencies, observed), ['servicesAndDependantSelectors: {}']);
});

test('a template that cannot be changed is a comment, and a name that is too long for a label is in the annotation', () => {
  const long = service('x'.repeat(60), { namespace: 'messaging', ports: [80] });
  const use = (kind: string, value: string) => {
    const { dependencies, observed } = search([
      ...services,
      long,
      workload('app', { kind, container: { env: [{ name: 'X', value }] } }),
    ]);
    return suggestionLabels(dependencies, observed).at(-1) ?? '';
  };
  assert.match(use('Job', 'redis:6379'), /^# job shop\/app: set the label weeder\.dev\/depends-on where it is created/);
  assert.match(
    use('Deployment', `${'x'.repeat(60)}.messaging:80`),
    /"labels":\{"weeder\.dev\/depends-on":""\},"annotations":\{"weeder\.dev\/depends-on-services":"x+\.messaging"\}/,
  );
  assert.match(use('CronJob', 'redis:6379'), /^kubectl patch cronjob app .*\{"jobTemplate":\{"spec":\{"template":/);
});

test('the config is valid, and selects the pods of the workloads', () => {
  const { dependencies, observed } = search([
    ...shop,
    workload('nightly', { kind: 'CronJob', container: { env } }),
    workload('once', { kind: 'Job', labels: { 'job-name': 'once' }, container: { env } }),
  ]);
  const text = suggestionConfig(dependencies, observed).join('\n');
  const parsed = parseConfig(text, 'weeder.yaml');
  assert.ok(parsed.ok, parsed.ok ? '' : formatFieldErrors(parsed.error));
  const { services: entries } = parsed.value;
  assert.deepEqual([...entries.keys()].sort(), ['postgres', 'queue']);
  assert.deepEqual(entries.get('queue')?.namespaces, ['messaging']);
  assert.deepEqual(entries.get('queue')?.dependantNamespaces, ['shop']);
  assert.equal(entries.get('postgres')?.dependantNamespaces, 'same');
  assert.deepEqual(
    entries.get('postgres')?.podSelectors.map(({ matchLabels }) => matchLabels),
    [{ app: 'nightly' }, { app: 'web' }, { app: 'once' }],
  );
  assert.match(text, /^ {6}# high: deployment\/shop\/web, env DATABASE_URL of container main: postgres:5432/m);
});

test('the pictures have each service and workload once, dashed arrows for guesses, and services on the left', () => {
  const { dependencies } = search(shop);
  assert.deepEqual(drawDependencies(dependencies, 'mermaid'), [
    'flowchart RL',
    '  subgraph g0["shop"]',
    '    n0["Deployment web"]',
    '    n2(["postgres"])',
    '    n3["StatefulSet cart"]',
    '    n4(["redis"])',
    '  end',
    '  subgraph g1["messaging"]',
    '    n1(["queue"])',
    '  end',
    '  n0 -.->|high| n1',
    '  n0 -.->|high| n2',
    '  n3 -.->|medium| n1',
    '  n3 -->|declared| n4',
  ]);
  assert.deepEqual(drawDependencies(dependencies.slice(0, 1), 'dot'), [
    'digraph dependencies {',
    '  rankdir=RL;',
    '  node [shape=box];',
    '  subgraph cluster_0 {',
    '    label="shop";',
    '    n0 [label="Deployment web"];',
    '  }',
    '  subgraph cluster_1 {',
    '    label="messaging";',
    '    n1 [label="queue", shape=ellipse];',
    '  }',
    '  n0 -> n1 [label="high", style=dashed];',
    '}',
  ]);
});

test('without suggestions a picture has what is configured or declared', () => {
  assert.deepEqual(drawDependencies(knownDependencies(search(shop).dependencies), 'mermaid').slice(1), [
    '  subgraph g0["shop"]',
    '    n0["StatefulSet cart"]',
    '    n1(["redis"])',
    '  end',
    '  n0 -->|declared| n1',
  ]);
});

test('evidence of several readers is merged', () => {
  const { dependencies } = search(shop);
  const [first] = dependencies;
  assert.ok(first);
  const low = {
    ...first,
    confidence: 'low',
    evidence: [{ confidence: 'low', where: 'recording', found: 'x', because: 'y' }],
  } as const;
  const merged = mergeDependencies([low, ...dependencies]);
  assert.equal(merged.length, dependencies.length);
  assert.deepEqual(
    merged[0]?.evidence.map(({ confidence }) => confidence),
    ['high', 'low'],
  );
  assert.equal(merged[0]?.confidence, 'high');
});
