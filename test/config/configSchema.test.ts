import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isObject, objectOf } from '@weeder/kube-runtime/base';
import { parseConfig } from '../../src/config/parse.ts';
import { configJsonSchema } from '../../src/config/schema/reference.ts';
import { keysAt } from '../../src/config/schema/schema.ts';

/** The value at this path. */
function at(value: unknown, ...steps: readonly string[]): unknown {
  return steps.reduce<unknown>((here, step) => objectOf(here)[step], value);
}

const schema = configJsonSchema();
const service = at(schema, 'properties', 'servicesAndDependantSelectors', 'additionalProperties');
const selector = at(service, 'properties', 'podSelectors', 'items');
const requirement = at(selector, 'properties', 'matchExpressions', 'items');
const receiver = at(schema, 'properties', 'notifications', 'additionalProperties');
const sections = [
  'servicesAndDependantSelectors',
  'declaredDependencies',
  'podCreation',
  'evidence',
  'restartControl',
  'observer',
  'notifications',
];
const settings = keysAt([]).filter((key) => !sections.includes(key));

test('the JSON Schema has draft 7, an id and a title', () => {
  assert.equal(schema.$schema, 'http://json-schema.org/draft-07/schema#');
  assert.match(String(schema.$id), /^https:\/\/.*weeder\.schema\.json$/);
  assert.equal(schema.title, "weeder's config file");
});

test('the JSON Schema has the keys of each kind of mapping, and allows no others', () => {
  for (const [part, path] of [
    [schema, []],
    [service, ['servicesAndDependantSelectors', 'db']],
    [receiver, ['notifications', 'ops']],
    [selector, ['servicesAndDependantSelectors', 'db', 'podSelectors', 0]],
    [requirement, ['servicesAndDependantSelectors', 'db', 'podSelectors', 0, 'matchExpressions', 0]],
  ] as const) {
    assert.deepEqual(Object.keys(objectOf(at(part, 'properties'))), keysAt(path));
    assert.equal(at(part, 'additionalProperties'), false);
  }
  assert.deepEqual(at(service, 'required'), ['podSelectors']);
  assert.deepEqual(at(requirement, 'required'), ['key', 'operator']);
});

test('every key has a description, at the top and at a service, and both have the same settings', () => {
  for (const part of [schema, service, selector, requirement, receiver]) {
    for (const [key, value] of Object.entries(objectOf(at(part, 'properties')))) {
      assert.match(String(at(value, 'description')), /^[A-Z`].*\.$/, key);
    }
  }
  assert.deepEqual(keysAt(['servicesAndDependantSelectors', 'db']).slice(1).toSorted(), settings.toSorted());
  const ofDeclared = settings.filter((key) => key !== 'dependantNamespaces');
  assert.deepEqual(keysAt(['declaredDependencies']).toSorted(), [...ofDeclared, 'siblingEvidence'].toSorted());
});

test('the defaults in the JSON Schema are those of the parser', () => {
  const stated = settings.map((key) => [key, at(schema, 'properties', key, 'default')] as const);
  const lines = stated
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  assert.equal(lines.length, 7);
  const services = 'servicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {app: web}}]}}';
  assert.deepEqual(parseConfig(lines.join('') + services, 'f'), parseConfig(services, 'f'));
  for (const key of settings) assert.equal(at(service, 'properties', key, 'default'), undefined, `${key} is inherited`);
});

test('the patterns of the JSON Schema compile, and agree with the parser on durations', () => {
  const pattern = new RegExp(String(at(schema, 'properties', 'watchDuration', 'pattern')), 'u');
  for (const good of ['5m0s', '1h2m0.5s', '.5s', '+5m', '1.s', '12µs', '12μs', '300ms'])
    assert.ok(pattern.test(good), good);
  for (const bad of ['', '5', '0', '-5m', '5 m', '2d', '.s', '5m ']) assert.ok(!pattern.test(bad), bad);
  let count = 0;
  JSON.stringify(schema, (key, value: unknown) => {
    if (key === 'pattern' && typeof value === 'string') count += new RegExp(value, 'u').source.length > 0 ? 1 : 0;
    return value;
  });
  assert.ok(count >= 10);
});

test('the JSON Schema relates operators to values, and refuses empty selectors', () => {
  assert.deepEqual(at(requirement, 'if', 'properties', 'operator', 'enum'), ['In', 'NotIn']);
  assert.deepEqual(at(requirement, 'then'), { required: ['values'], properties: { values: { minItems: 1 } } });
  assert.deepEqual(at(requirement, 'else'), { properties: { values: { maxItems: 0 } } });
  assert.ok(Array.isArray(at(selector, 'anyOf')));
  assert.equal(at(service, 'properties', 'podSelectors', 'minItems'), 1);
});

test('every YAML example of the reference is a valid config', () => {
  const text = readFileSync(new URL('../../docs/reference/configuration.md', import.meta.url), 'utf8');
  const handWritten = text.replace(/<!-- generated: faulty -->[\s\S]*?<!-- \/generated -->/, '');
  const examples = [...handWritten.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
  const configs = examples.filter((example) => !example.startsWith('# yaml-language-server'));
  assert.equal(configs.length, 10);
  for (const example of configs) assert.ok(parseConfig(example, 'f').ok, example);
});

test('the committed schema equals the generated one', () => {
  const committed: unknown = JSON.parse(
    readFileSync(new URL('../../schema/weeder.schema.json', import.meta.url), 'utf8'),
  );
  assert.ok(isObject(committed));
  assert.deepEqual(committed, JSON.parse(JSON.stringify(schema)));
});
