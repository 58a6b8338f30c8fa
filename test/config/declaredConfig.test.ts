import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFieldErrors } from '../../src/base/fieldError.ts';
import { compareConfigs } from '../../src/config/compare.ts';
import type { Config } from '../../src/config/config.ts';
import { configFileOf, storedConfigOf } from '../../src/config/configText.ts';
import { describeService } from '../../src/config/describeSettings.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { lookupOf, withDeclared } from '../../src/config/serviceLookup.ts';

function configOf(text: string): Config {
  const result = parseConfig(text, 'f');
  return result.ok ? result.value : assert.fail(formatFieldErrors(result.error));
}

const errorsIn = (text: string) => {
  const result = parseConfig(text, 'f');
  return result.ok ? '' : formatFieldErrors(result.error);
};

const byDefault = {
  namespaces: 'all',
  services: new Set(),
  watchDuration: 300_000,
  onStart: 'recent',
  whileNotReady: 'hold',
  barePods: 'keep',
  deletion: 'delete',
  gracePeriodSeconds: undefined,
  pace: undefined,
  maintenanceWindows: [],
};

test('the section may be empty, has the settings at the top of the file, and overrides them', () => {
  assert.equal(configOf('{}').declared, undefined);
  assert.deepEqual(configOf('declaredDependencies: {}').declared, byDefault);
  const top = 'watchDuration: 2m\nbarePods: delete\nnamespaces: [databases]\n';
  assert.deepEqual(configOf(`${top}declaredDependencies: {}`).declared, {
    ...byDefault,
    watchDuration: 120_000,
    barePods: 'delete',
  });
  const own = '{namespaces: [shop, shop], watchDuration: 1m, onStart: never, whileNotReady: delete, deletion: evict}';
  assert.deepEqual(configOf(`${top}declaredDependencies: ${own}`).declared, {
    ...byDefault,
    namespaces: ['shop'],
    watchDuration: 60_000,
    onStart: 'never',
    whileNotReady: 'delete',
    barePods: 'delete',
    deletion: 'evict',
  });
});

test('sibling evidence is off without its key, has defaults, is stored, and is part of what a reload compares', () => {
  const of = (text: string) => configOf(`declaredDependencies: {siblingEvidence: ${text}}`);
  assert.equal('siblingEvidence' in (configOf('declaredDependencies: {}').declared ?? {}), false);
  assert.deepEqual(of('{}').declared?.siblingEvidence, { readyFor: 10_000, windowsPerHour: 6 });
  const own = of('{readyFor: 1m, windowsPerHour: 1}');
  assert.deepEqual(own.declared?.siblingEvidence, { readyFor: 60_000, windowsPerHour: 1 });
  assert.deepEqual(configOf(JSON.stringify(configFileOf(own))), own);
  assert.equal(compareConfigs(of('{}'), own).declaredDependencies, 'changed');
  assert.equal(compareConfigs(of('{}'), of('{}')).declaredDependencies, undefined);
  assert.match(errorsIn('declaredDependencies: {siblingEvidence: }'), /write `siblingEvidence: \{\}`/);
  assert.match(errorsIn('declaredDependencies: {siblingEvidence: {readyFor: 0s}}'), /readyFor: found "0s"/);
  assert.match(errorsIn('declaredDependencies: {siblingEvidence: {windowsPerHour: 0}}'), /windowsPerHour: found 0/);
  assert.match(errorsIn('siblingEvidence: {}'), /siblingEvidence/);
  const service = 'servicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {a: b}}]}}';
  const both = configOf(`${service}\ndeclaredDependencies: {siblingEvidence: {}}`);
  const [named, declared] = ['db', 'other'].map((name) =>
    lookupOf(withDeclared(both, new Set(['a/other'])))('a', name),
  );
  assert.ok(named !== undefined && declared !== undefined);
  for (const each of [named, declared])
    assert.match(describeService(each), /, sibling evidence after 10s, 6 windows per hour$/);
});

test('errors in the section name their place', () => {
  assert.match(errorsIn('declaredDependencies: true'), /^f:1:23 declaredDependencies: /);
  assert.match(
    errorsIn('declaredDependencies: {namespaces: []}'),
    /declaredDependencies\.namespaces: this list is empty/,
  );
  assert.match(errorsIn('declaredDependencies: {namespaces: [Shop]}'), /namespaces\[0\]: found "Shop"/);
  assert.match(errorsIn('declaredDependencies: {podSelectors: []}'), /podSelectors/);
  assert.match(errorsIn('declaredDependencies: {services: [a]}'), /services/);
});

test('a reload reports whether the section was added, changed or removed, and not the services that pods declare', () => {
  const [without, with_] = [configOf('{}'), configOf('declaredDependencies: {namespaces: [a, b]}')];
  const change = (one: Config, other: Config) => compareConfigs(one, other).declaredDependencies;
  assert.deepEqual([change(without, with_), change(with_, without)], ['added', 'removed']);
  assert.equal(change(with_, configOf('declaredDependencies: {namespaces: [a]}')), 'changed');
  assert.equal(change(with_, configOf('declaredDependencies: {namespaces: [b, a]}')), undefined);
  assert.equal(change(with_, withDeclared(with_, new Set(['a/db']))), undefined);
  assert.equal('declaredDependencies' in compareConfigs(with_, with_), false);
});

test('a config is stored so that it can be read again, with the declared services beside it', () => {
  const config = configOf('declaredDependencies: {namespaces: [a], watchDuration: 90s, gracePeriodSeconds: 3}');
  assert.deepEqual(configOf(JSON.stringify(configFileOf(config))), config);
  const stored = storedConfigOf(withDeclared(config, new Set(['a/db'])));
  assert.deepEqual([stored.declared, stored.config], [['a/db'], configFileOf(config)]);
  assert.equal('declared' in storedConfigOf(config), false);
  assert.deepEqual(Object.keys(configFileOf(configOf('{}'))), []);
});

test('a service is watched if the config names it or pods declare it; the settings of the config have precedence', () => {
  const file = `
declaredDependencies: {watchDuration: 1m, namespaces: [shop]}
servicesAndDependantSelectors:
  db: {namespaces: [a], watchDuration: 2m, podSelectors: [{matchLabels: {app: web}}]}`;
  const lookup = lookupOf(withDeclared(configOf(file), new Set(['a/db', 'b/db', 'b/redis'])));
  const settingsOf = (namespace: string, name: string) => {
    const service = lookup(namespace, name);
    return service && [service.watchDuration, service.podSelectors.length, service.declaredIn];
  };
  assert.deepEqual(settingsOf('a', 'db'), [120_000, 1, ['shop']]);
  assert.deepEqual(settingsOf('b', 'db'), [60_000, 0, ['shop']]);
  assert.deepEqual(settingsOf('b', 'redis'), [60_000, 0, ['shop']]);
  assert.deepEqual([settingsOf('c', 'db'), settingsOf('a', 'redis')], [undefined, undefined]);
  const without = lookupOf(withDeclared(configOf(file.replace(/declared.*\n/, '')), new Set(['b/db'])));
  assert.deepEqual([without('b', 'db'), without('a', 'db')?.declaredIn], [undefined, 'none']);
});
