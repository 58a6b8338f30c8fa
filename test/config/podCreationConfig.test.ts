import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFieldErrors } from '../../src/base/fieldError.ts';
import { compareConfigs } from '../../src/config/compare.ts';
import type { Config } from '../../src/config/config.ts';
import { configFileOf, storedConfigOf } from '../../src/config/configText.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { lookupOf, withDeclared, withWebhooks } from '../../src/config/serviceLookup.ts';
import { parseStoredConfig } from '../../src/replay/played/recordedConfig.ts';

function configOf(text: string): Config {
  const result = parseConfig(text, 'f');
  return result.ok ? result.value : assert.fail(formatFieldErrors(result.error));
}

const webhooks = new Map([['pods.example.com', new Set(['policy/webhook', 'a/db'])]]);

test('the section may be empty, and has the settings at the top of the file unless it overrides them', () => {
  assert.equal(configOf('{}').podCreation, undefined);
  const byDefault = { maxPerSecond: 50, webhooks: new Map(), watchDuration: 300_000, onStart: 'recent' };
  assert.deepEqual(configOf('podCreation: {}').podCreation, { ...byDefault, whileNotReady: 'hold' });
  const own = configOf('{watchDuration: 2m, podCreation: {maxPerSecond: 5, onStart: never}}').podCreation;
  assert.partialDeepStrictEqual(own, { maxPerSecond: 5, onStart: 'never', watchDuration: 120_000 });
});

test('errors in the section name their place', () => {
  const errorsIn = (text: string) => {
    const result = parseConfig(text, 'f');
    return result.ok ? '' : formatFieldErrors(result.error);
  };
  assert.match(errorsIn('podCreation: true'), /^f:1:14 podCreation: /);
  assert.match(errorsIn('podCreation: {maxPerSecond: 0}'), /podCreation\.maxPerSecond: found 0, must be 1 or more/);
  assert.match(errorsIn('podCreation: {webhooks: [a]}'), /webhooks/);
});

test('a service of a webhook is watched; the settings of the config, and those of declared services, have precedence', () => {
  const file = `
podCreation: {watchDuration: 1m}
declaredDependencies: {watchDuration: 90s}
servicesAndDependantSelectors:
  db: {namespaces: [a], watchDuration: 2m, podSelectors: [{matchLabels: {app: web}}]}`;
  const config = withWebhooks(configOf(file), webhooks);
  const of = (lookup: ReturnType<typeof lookupOf>, namespace: string, name: string) => {
    const service = lookup(namespace, name);
    return service && [service.section, service.watchDuration, service.declaredIn, service.isOfWebhook];
  };
  const lookup = lookupOf(config);
  assert.deepEqual(of(lookup, 'policy', 'webhook'), ['podCreation', 60_000, 'none', true]);
  assert.deepEqual(of(lookup, 'a', 'db'), ['services', 120_000, 'all', true]);
  assert.equal(of(lookup, 'other', 'webhook'), undefined);
  const declared = lookupOf(withDeclared(config, new Set(['policy/webhook', 'b/db'])));
  assert.deepEqual(of(declared, 'policy', 'webhook'), ['declaredDependencies', 90_000, 'all', true]);
  assert.deepEqual(of(declared, 'b', 'db'), ['declaredDependencies', 90_000, 'all', false]);
  const without = lookupOf(withWebhooks(configOf(file.replace(/podCreation.*\n/, '')), webhooks));
  assert.equal(of(without, 'policy', 'webhook'), undefined);
});

test('a config is stored so that it can be read again, with the webhooks beside it', () => {
  const config = withWebhooks(configOf('podCreation: {watchDuration: 90s, whileNotReady: delete}'), webhooks);
  assert.deepEqual(configOf(JSON.stringify(configFileOf(config))).podCreation, {
    ...config.podCreation,
    webhooks: new Map(),
  });
  const read = parseStoredConfig(storedConfigOf(config), 'f');
  assert.deepEqual(read.ok && read.value.podCreation, config.podCreation);
  assert.equal('webhooks' in storedConfigOf(configOf('podCreation: {}')), false);
});

test('a reload reports whether the section was added, changed or removed, and not the webhooks', () => {
  const [without, with_] = [configOf('{}'), configOf('podCreation: {}')];
  const change = (one: Config, other: Config) => compareConfigs(one, other).podCreation;
  assert.deepEqual([change(without, with_), change(with_, without)], ['added', 'removed']);
  assert.equal(change(with_, configOf('podCreation: {maxPerSecond: 1}')), 'changed');
  assert.equal(change(with_, withWebhooks(with_, webhooks)), undefined);
});
