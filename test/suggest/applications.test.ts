import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applicationsTable, measuredApplications } from './applications.ts';

const byName = new Map(measuredApplications().map((each) => [each.application, each]));

test('in Online Boutique every dependency is found, and no other', () => {
  const measured = byName.get('Online Boutique');
  assert.deepEqual([measured?.right.length, measured?.wrong, measured?.missed], [16, [], []]);
});

test('in the OpenTelemetry Demo every dependency is found, and those that its diagram leaves out', () => {
  const measured = byName.get('OpenTelemetry Demo');
  const short = (each: string) => each.replaceAll('opentelemetry-demo-', '');
  assert.deepEqual([measured?.right.length, measured?.missed], [28, []]);
  assert.deepEqual(measured?.wrong.map(short), [
    'checkoutservice → flagd',
    'frontend → flagd',
    'frontendproxy → loadgenerator',
    'loadgenerator → flagd',
    'productcatalogservice → flagd',
  ]);
});

test('names in programs are not seen: of Bookinfo and Sock Shop one dependency is found, of Guestbook none', () => {
  const edgesOf = (name: string) => [byName.get(name)?.right, byName.get(name)?.wrong];
  assert.deepEqual(edgesOf('Bookinfo'), [['ratings-v2 → mongodb'], []]);
  assert.deepEqual(edgesOf('Sock Shop'), [['user → user-db'], []]);
  assert.deepEqual(edgesOf('Guestbook'), [[], []]);
});

test('the lowest confidence finds no more of the truth, and little that is wrong', () => {
  for (const { application, right, wrong } of measuredApplications('low')) {
    assert.equal(right.length, byName.get(application)?.right.length, application);
    assert.ok(wrong.length <= (byName.get(application)?.wrong.length ?? 0) + 2, `${application}: ${wrong}`);
  }
});

test('the truth names workloads and services that exist, so that a missed one is not a typing error', () => {
  assert.equal(byName.size, 5);
  assert.equal(applicationsTable().split('\n').length, 7);
  for (const { truth, right, missed } of byName.values()) assert.equal(right.length + missed.length, truth.size);
});
