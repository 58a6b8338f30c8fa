import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isObject, objectOf, parseDuration } from '@weeder/kube-runtime/base';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { parse } from 'yaml';
import { formatFieldError } from '../../src/base/fieldError.ts';
import type { Config, ServiceConfig } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { byteEdit, edited, editedBytes, valueEdit } from '../support/fuzz.ts';

const texts = ['original.yaml', 'additions.yaml'].map((name) =>
  readFileSync(new URL(`../data/config/${name}`, import.meta.url)),
);
const values = texts.map((text): unknown => parse(text.toString('utf8')));

const topKeys = ['watchDuration', 'namespaces', 'dependantNamespaces', 'onStart', 'whileNotReady', 'barePods'];
const laterKeys = ['deletion', 'gracePeriodSeconds', 'pace', 'maintenanceWindows'];
const serviceKeys = new Set([...topKeys, ...laterKeys, 'podSelectors']);
const knownTopKeys = new Set([...topKeys, ...laterKeys, 'servicesAndDependantSelectors']);

/** An own key, as it is in the file: inherited keys do not count. */
function own(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? (value[key] ?? undefined) : undefined;
}

/** Compared with another YAML parser: everything in the file is in the config, and nothing else but defaults. */
function assertNothingIsLost(said: unknown, config: Config): void {
  for (const key of Object.keys(objectOf(said))) assert.ok(knownTopKeys.has(key), `${key} is lost`);
  const entries = objectOf(own(said, 'servicesAndDependantSelectors'));
  assert.deepEqual([...config.services.keys()].sort(), Object.keys(entries).sort());
  for (const [name, entry] of Object.entries(entries)) {
    for (const key of Object.keys(objectOf(entry))) assert.ok(serviceKeys.has(key), `${name}.${key} is lost`);
    const service = config.services.get(name);
    assert(service !== undefined);
    assert.deepEqual(service, expected(name, entry, said));
  }
}

function expected(name: string, entry: unknown, top: unknown): ServiceConfig {
  const either = (key: string, independent: unknown) => own(entry, key) ?? own(top, key) ?? independent;
  const duration = parseDuration(String(either('watchDuration', '5m')));
  const pace = either('pace', undefined);
  const per = parseDuration(String(own(pace, 'per')));
  const names = (value: unknown) => (Array.isArray(value) ? [...new Set(value)] : value);
  const expected = {
    name,
    namespaces: names(either('namespaces', 'all')),
    podSelectors: own(entry, 'podSelectors'),
    watchDuration: duration.ok ? duration.value : Number.NaN,
    dependantNamespaces: names(either('dependantNamespaces', 'same')),
    onStart: either('onStart', 'recent'),
    whileNotReady: either('whileNotReady', 'hold'),
    barePods: either('barePods', 'keep'),
    deletion: either('deletion', 'delete'),
    gracePeriodSeconds: either('gracePeriodSeconds', undefined),
    pace: pace === undefined ? undefined : { pods: own(pace, 'pods'), per: per.ok ? per.value : Number.NaN },
    maintenanceWindows: listOf(either('maintenanceWindows', [])).map(maintenanceWindow),
  };
  return JSON.parse(JSON.stringify(expected), omitEmpty);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function maintenanceWindow(given: unknown): object {
  const duration = parseDuration(String(own(given, 'duration')));
  const milliseconds = duration.ok ? duration.value : Number.NaN;
  return { cron: own(given, 'cron'), timeZone: own(given, 'timeZone') ?? 'UTC', duration: milliseconds };
}

/** An empty value, and no values of an expression that takes none, are the same as a key that is left out. */
function omitEmpty(this: unknown, key: string, value: unknown): unknown {
  const isEmptyList = key === 'values' && Array.isArray(value) && value.length === 0;
  return value === null || isEmptyList ? undefined : value;
}

/** Returns whether the config is accepted. */
function assertReported(text: string, said: (text: string) => unknown): boolean {
  const read = parseConfig(text, 'f');
  if (!read.ok) {
    assert.ok(read.error.length > 0);
    for (const fault of read.error) assert.match(formatFieldError(fault), /^f[ :][^\n]+$/);
    return false;
  }
  const plain = structuredClone(read.value);
  for (const service of plain.services.values()) {
    for (const key of ['gracePeriodSeconds', 'pace'] as const)
      if (service[key] === undefined) Reflect.deleteProperty(service, key);
  }
  assertNothingIsLost(said(text), plain);
  return true;
}

test('with any value anywhere, a config is refused, or taken completely as in the file', () =>
  assertMeets({ accepted: 20 }, 1500, (met) =>
    fc.property(
      fc.constantFrom(...values),
      fc.array(valueEdit, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(undefined, 2),
      (value, edits, indent) => {
        const text = JSON.stringify(edited(value, edits), null, indent) ?? '';
        if (assertReported(text, JSON.parse)) met.accepted += 1;
      },
    ),
  ));

test('with any bytes, a config is refused, or taken completely as another YAML parser reads it', () => {
  const yaml = (text: string): unknown => parse(text, { merge: true, version: '1.2', logLevel: 'silent' });
  return assertMeets({ accepted: 20 }, 700, (met) =>
    fc.property(fc.constantFrom(...texts), fc.array(byteEdit, { minLength: 1, maxLength: 3 }), (text, edits) => {
      if (assertReported(editedBytes(text, edits).toString('utf8'), yaml)) met.accepted += 1;
    }),
  );
});
