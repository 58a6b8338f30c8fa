import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RestartConfig, RestartRule, RestartSettings } from '../../../src/config/restart.ts';
import { type Candidate, hasConsent, settingsFor } from '../../../src/restart/sources/managed.ts';
import { settings as defaults, restartConfig } from '../../support/objects/restartSettings.ts';

function rule(differences: Partial<RestartRule>): RestartRule {
  return {
    ...defaults,
    namespaces: 'all',
    kinds: new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job']),
    selector: undefined,
    ...differences,
  };
}

function config(...rules: readonly RestartRule[]): RestartConfig {
  return restartConfig({ rules });
}

function workload(differences: Partial<Candidate['ref']> & Partial<Omit<Candidate, 'ref'>> = {}): Candidate {
  const { labels = {}, isOptedIn, ...ref } = differences;
  return { ref: { kind: 'Deployment', namespace: 'shop', name: 'web', ...ref }, labels, isOptedIn };
}

test('a workload whose template counts for another one is not managed, whatever a rule or its annotation says', () => {
  const candidate = { ...workload({ isOptedIn: true }), templateFor: { ...workload().ref, name: 'front' } };
  assert.equal(settingsFor(config(rule({})), candidate), undefined);
  assert.notEqual(settingsFor(config(rule({})), workload({ isOptedIn: true })), undefined);
});

test('nothing is managed by default', () => {
  assert.equal(settingsFor(config(), workload()), undefined);
});

test('a rule selects the workloads of its namespaces, kinds and labels, and no others', () => {
  const meant = rule({
    namespaces: ['shop', 'billing'],
    kinds: new Set(['Deployment', 'CronJob']),
    selector: { matchLabels: { app: 'web' } },
  });
  const settingsOf = (candidate: Candidate) => settingsFor(config(meant), candidate);
  const labels = { app: 'web', tier: 'front' };
  assert.equal(settingsOf(workload({ labels })), meant);
  assert.equal(settingsOf(workload({ labels, namespace: 'billing', kind: 'CronJob' })), meant);
  assert.equal(settingsOf(workload({ labels, namespace: 'other' })), undefined);
  assert.equal(settingsOf(workload({ labels, kind: 'Job' })), undefined);
  assert.equal(settingsOf(workload({ labels: { app: 'api' } })), undefined);
  assert.equal(settingsOf(workload()), undefined);
});

test('the first matching rule applies', () => {
  const [first, second, third] = [rule({ namespaces: ['other'] }), rule({ strategy: 'evict' }), rule({})];
  assert.equal(settingsFor(config(first, second, third), workload()), second);
});

test('a workload that opts in gets the first matching rule, or the defaults', () => {
  const shop = rule({ namespaces: ['shop'] });
  assert.equal(settingsFor(config(shop), workload({ isOptedIn: true })), shop);
  assert.equal(settingsFor(config(shop), workload({ isOptedIn: true, namespace: 'other' })), defaults);
});

test('a workload that opts out is not managed, whatever the rules say', () => {
  assert.equal(settingsFor(config(rule({})), workload({ isOptedIn: false })), undefined);
  assert.equal(settingsFor(config(rule({})), workload())?.strategy, 'rollout');
});

test('the config allows references to sources of other namespaces by kind and name', () => {
  const settings: RestartSettings = {
    ...defaults,
    sources: [
      { namespace: 'infra', kinds: new Set(['ConfigMap']), names: 'all' },
      { namespace: 'certs', kinds: new Set(['ConfigMap', 'Secret']), names: ['ca'] },
    ],
  };
  const may = (kind: 'ConfigMap' | 'Secret', namespace: string, name: string) =>
    hasConsent(settings, { kind, namespace, name });
  assert.deepEqual(
    [may('ConfigMap', 'infra', 'any'), may('ConfigMap', 'certs', 'ca'), may('Secret', 'certs', 'ca')],
    [true, true, true],
  );
  assert.deepEqual(
    [may('Secret', 'infra', 'any'), may('Secret', 'certs', 'key'), may('ConfigMap', 'other', 'ca')],
    [false, false, false],
  );
  assert.equal(hasConsent(defaults, { kind: 'ConfigMap', namespace: 'infra', name: 'any' }), false);
});
