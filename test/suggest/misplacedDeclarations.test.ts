import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declarationProblems } from '../../src/suggest/misplacedDeclarations.ts';

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const label = { labels: { 'weeder.dev/depends-on': 'db' } };
const annotation = { annotations: { 'weeder.dev/depends-on-services': 'cache, queue.messaging' } };

function deployment(own: Metadata, template: Metadata, kind = 'Deployment') {
  const spec = { template: { metadata: template, spec: { containers: [] } } };
  return { kind, metadata: { namespace: 'shop', name: 'web', ...own }, spec };
}

function texts(...objects: readonly object[]): string[] {
  return declarationProblems(objects.map((object) => ({ ...object }))).map(({ text }) => text);
}

const unseen = 'declares a dependency where weeder does not see it: write';
const labelLine = '`weeder.dev/depends-on: db` into spec.template.metadata.labels';
const emptyLabelLine = '`weeder.dev/depends-on: ""` into spec.template.metadata.labels';
const annotationLine =
  '`weeder.dev/depends-on-services: "cache, queue.messaging"` into spec.template.metadata.annotations';

test('a declaration in the metadata of the workload itself is reported with the lines to write', () => {
  assert.deepEqual(texts(deployment(label, {})), [`Deployment shop/web ${unseen} ${labelLine}`]);
  assert.deepEqual(texts(deployment({ ...label, ...annotation }, {}, 'StatefulSet')), [
    `StatefulSet shop/web ${unseen} ${labelLine}, and ${annotationLine}`,
  ]);
  assert.deepEqual(texts(deployment(annotation, label)), [`Deployment shop/web ${unseen} ${annotationLine}`]);
});

test('an annotation without the label is reported, and so is the label as an annotation', () => {
  assert.deepEqual(texts(deployment({}, annotation)), [`Deployment shop/web ${unseen} ${emptyLabelLine}`]);
  const asAnnotation = { annotations: { 'weeder.dev/depends-on': 'db' } };
  for (const [own, template] of [
    [{}, asAnnotation],
    [asAnnotation, {}],
  ] as const)
    assert.deepEqual(texts(deployment(own, template)), [`Deployment shop/web ${unseen} ${labelLine}`]);
});

test('of a CronJob the label of its Jobs is at a wrong place, too', () => {
  const jobTemplate = { metadata: label, spec: { template: { spec: { containers: [] } } } };
  const cronJob = { kind: 'CronJob', metadata: { namespace: 'shop', name: 'report' }, spec: { jobTemplate } };
  const line = '`weeder.dev/depends-on: db` into spec.jobTemplate.spec.template.metadata.labels';
  assert.deepEqual(texts(cronJob), [`CronJob shop/report ${unseen} ${line}`]);
});

test('a malformed value is reported', () => {
  const template = { labels: { 'weeder.dev/depends-on': 'db.shop.svc' } };
  assert.deepEqual(declarationProblems([deployment({}, template)]), [
    {
      namespace: 'shop',
      type: 'malformed',
      text: 'Deployment shop/web: "db.shop.svc" names no service: write db.shop',
    },
  ]);
});

test('a declaration at its place is no problem, and neither is a copy of it on the workload', () => {
  const other = { labels: { 'weeder.dev/ignore': 'true' } };
  const labelAndAnnotation = { ...label, ...annotation };
  const pod = { kind: 'Pod', metadata: { namespace: 'shop', name: 'web-0', ...label } };
  assert.deepEqual(
    texts(
      deployment({}, label),
      deployment({}, labelAndAnnotation),
      deployment(labelAndAnnotation, labelAndAnnotation),
      deployment({}, {}),
      deployment(other, other),
      pod,
    ),
    [],
  );
});
