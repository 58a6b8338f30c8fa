import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { arrayOf, isObject, objectOf, parseDuration } from '@weeder/kube-runtime/base';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { parse } from 'yaml';
import { formatFieldError } from '../../src/base/fieldError.ts';
import { configFileOf } from '../../src/config/configText.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { RestartConfig, RestartRule } from '../../src/config/restart.ts';
import { edited, valueEdit } from '../support/fuzz.ts';

const text = readFileSync(new URL('../data/config/restart.yaml', import.meta.url), 'utf8');
const section = objectOf(objectOf(parse(text))['restartControl']);

const defaults: Readonly<Record<string, unknown>> = {
  quietPeriod: '5s',
  quietMax: '1m',
  minInterval: '1m',
  strategy: 'rollout',
  imagePullSecrets: 'ignore',
  immutableRecreated: 'report',
  jobs: 'report',
  lateSources: 'ignore',
  unstick: false,
  stallAfter: '1m',
  progressDeadline: '10m',
};
const limits = ['maxRestartsPerMinute', 'burst', 'maxConcurrentRollouts', 'maxAdoptionsPerMinute', 'access'];
const topKeys = new Set([...Object.keys(section)]);
const ruleKeys = new Set([
  ...Object.keys(defaults),
  'maintenanceWindows',
  'sources',
  'namespaces',
  'kinds',
  'selector',
]);

/** An own key, as it is in the file: inherited keys do not count. */
function own(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? (value[key] ?? undefined) : undefined;
}

function meant(value: unknown): unknown {
  const duration = typeof value === 'string' ? parseDuration(value) : undefined;
  return duration?.ok === true ? duration.value : value;
}

/** Everything in the section is in the config: each setting as it is set, inherited, or left out. */
function assertNothingIsLost(said: unknown, restart: RestartConfig): void {
  const top = Array.isArray(said) ? { rules: said } : objectOf(said);
  for (const key of Object.keys(top)) assert.ok(topKeys.has(key), `${key} is lost`);
  for (const key of limits) if (own(top, key) !== undefined) assert.equal(Reflect.get(restart, key), own(top, key));
  const rules = arrayOf(own(top, 'rules'));
  assert.equal(restart.rules.length, rules.length);
  for (const [index, rule] of rules.entries()) assertRule(rule, top, restart.rules[index]);
}

function assertRule(rule: unknown, top: unknown, resolved: RestartRule | undefined): void {
  assert.ok(resolved !== undefined);
  for (const key of Object.keys(objectOf(rule))) assert.ok(ruleKeys.has(key), `${key} is lost`);
  for (const [key, independent] of Object.entries(defaults)) {
    assert.equal(Reflect.get(resolved, key), meant(own(rule, key) ?? own(top, key) ?? independent), key);
  }
  for (const key of ['maintenanceWindows', 'sources'] as const) {
    assert.equal(resolved[key].length, arrayOf(own(rule, key) ?? own(top, key)).length);
  }
  const namespaces = own(rule, 'namespaces');
  assert.deepEqual(resolved.namespaces, namespaces === undefined ? 'all' : [...new Set(arrayOf(namespaces))]);
  const kinds = own(rule, 'kinds') ?? ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job'];
  assert.deepEqual(resolved.kinds, new Set(arrayOf(kinds)));
  assert.equal(resolved.selector === undefined, own(rule, 'selector') === undefined);
}

test('with any value anywhere, the section is refused in a sentence, or taken completely, and can be printed', async () => {
  const forms = fc.constantFrom<unknown>(section, section['rules']);
  await assertMeets({ accepted: 20 }, 800, (met) =>
    fc.property(forms, fc.array(valueEdit, { minLength: 1, maxLength: 3 }), (form, edits) => {
      const restartControl = edited(form, edits);
      const json = JSON.stringify({ restartControl });
      const read = parseConfig(json, 'f');
      if (!read.ok) {
        assert.ok(read.error.length > 0);
        for (const fault of read.error) {
          assert.match(formatFieldError(fault), /^f:\d+:\d+[ :][^\n]+$/);
          assert.doesNotMatch(fault.message, /^$|\0|Invalid (input|option|key|element)|Unrecognized key/);
        }
        return;
      }
      met.accepted += 1;
      const given: unknown = JSON.parse(json).restartControl ?? undefined;
      assert.equal(read.value.restart === undefined, given === undefined);
      if (read.value.restart !== undefined) assertNothingIsLost(given, read.value.restart);
      assert.deepEqual(parseConfig(JSON.stringify(configFileOf(read.value)), 'f'), read);
    }),
  );
});
