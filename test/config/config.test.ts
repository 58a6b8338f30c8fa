import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { formatFieldErrors } from '../../src/base/fieldError.ts';
import { behavesTheSame, compareConfigs } from '../../src/config/compare.ts';
import { type Config, isNeutral, type ServiceConfig } from '../../src/config/config.ts';
import { configFileOf } from '../../src/config/configText.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { readConfigFile } from '../../src/config/read.ts';

function dataFile(name: string): string {
  return fileURLToPath(new URL(`../data/config/${name}`, import.meta.url));
}

function configOf(text: string): Config {
  const result = parseConfig(text, 'weeder.yaml');
  return result.ok ? result.value : assert.fail(formatFieldErrors(result.error));
}

function parsed(text: string): ReadonlyMap<string, ServiceConfig> {
  return configOf(text).services;
}

const byDefault = {
  namespaces: 'all',
  watchDuration: 300_000,
  dependantNamespaces: 'same',
  onStart: 'recent',
  whileNotReady: 'hold',
  barePods: 'keep',
  deletion: 'delete',
  gracePeriodSeconds: undefined,
  pace: undefined,
  maintenanceWindows: [],
};

const nights = { cron: '0 22 * * 1-5', timeZone: 'Europe/Berlin', duration: 6 * 3_600_000 };

const minimal = 'servicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {app: web}}]}}\n';
const minimalService = { ...byDefault, name: 'db', podSelectors: [{ matchLabels: { app: 'web' } }] };

test('the documented file of the Go original is accepted unchanged', async () => {
  const read = await readConfigFile(dataFile('original.yaml'));
  const role = { key: 'gardener.cloud/role', operator: 'In', values: ['controlplane'] };
  const etcd = [{ matchExpressions: [role, { key: 'role', operator: 'In', values: ['apiserver'] }] }];
  const apiserver = [{ matchExpressions: [role, { key: 'role', operator: 'NotIn', values: ['main', 'apiserver'] }] }];
  const common = { ...byDefault, watchDuration: 120_000 };
  assert.deepEqual(read, {
    ok: true,
    value: {
      services: new Map([
        ['etcd-main-client', { ...common, name: 'etcd-main-client', podSelectors: etcd }],
        ['kube-apiserver', { ...common, name: 'kube-apiserver', podSelectors: apiserver }],
      ]),
      restart: undefined,
    },
  });
});

test('a config in which nothing is configured yet is accepted, and has no controller', () => {
  const isNothing = (text: string) => {
    const result = parseConfig(text, 'weeder.yaml');
    return result.ok && isNeutral(result.value);
  };
  const empty = ['{}', 'watchDuration: 5m', 'servicesAndDependantSelectors:', 'servicesAndDependantSelectors: {}'];
  for (const text of empty) assert.equal(isNothing(text), true, text);
  const others = ['restartControl: {}', 'observer: {}', 'declaredDependencies: {}'];
  for (const text of [minimal, ...others]) assert.equal(isNothing(text), false, text);
});

test('the example for Gardener and the config of a fresh install are valid', async () => {
  const deployed = async (name: string) => {
    const read = await readConfigFile(fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url)));
    return read.ok ? read.value : assert.fail(formatFieldErrors(read.error));
  };
  assert.deepEqual([...(await deployed('examples/gardener.yaml')).services.keys()], ['etcd-main-client']);
  const { services, declared, restart, observer } = await deployed('base/weeder.yaml');
  assert.deepEqual([services.size, declared?.namespaces, restart, observer], [0, 'all', undefined, undefined]);
});

test('a service inherits the settings at the top of the file', async () => {
  const read = await readConfigFile(dataFile('additions.yaml'));
  assert.ok(read.ok);
  assert.deepEqual(read.value.services.get('inherits'), {
    name: 'inherits',
    podSelectors: [{ matchLabels: { app: 'web' } }],
    watchDuration: 90_000,
    namespaces: ['databases'],
    dependantNamespaces: 'all',
    onStart: 'never',
    whileNotReady: 'delete',
    barePods: 'delete',
    deletion: 'evict',
    gracePeriodSeconds: 5,
    pace: { pods: 50, per: 1000 },
    maintenanceWindows: [nights],
  });
  assert.deepEqual(read.value.services.get('overrides'), {
    ...byDefault,
    name: 'overrides',
    podSelectors: [
      {
        matchLabels: { app: 'web', tier: '' },
        matchExpressions: [{ key: 'ready.example.com/canary', operator: 'DoesNotExist' }],
      },
    ],
    watchDuration: 500,
    namespaces: ['one', 'two'],
    dependantNamespaces: ['shop', 'billing'],
    onStart: 'always',
    gracePeriodSeconds: 0,
    pace: { pods: 5, per: 100 },
    maintenanceWindows: [],
  });
});

test('a change of maintenance windows is a change of the service, and they are stored as they are written', () => {
  const given = (windows: string) => configOf(`maintenanceWindows: ${windows}\n${minimal}`);
  const [any, night, later] = [
    given('[]'),
    given('[{cron: "0 22 * * *", duration: 6h}]'),
    given('[{cron: "0 23 * * *", duration: 6h}]'),
  ];
  assert.deepEqual(compareConfigs(any, night).changed.length, 1);
  assert.deepEqual(compareConfigs(night, later).changed.length, 1);
  assert.deepEqual(compareConfigs(any, configOf(minimal)).changed, []);
  const stored = JSON.stringify(configFileOf(night));
  assert.match(stored, /"maintenanceWindows":\[\{"cron":"0 22 \* \* \*","timeZone":"UTC","duration":"6h0m0s"\}\]/);
  assert.doesNotMatch(JSON.stringify(configFileOf(any)), /maintenanceWindows/);
  assert.deepEqual(parseConfig(stored, 'stored.json'), { ok: true, value: night });
});

test('a change of the pace is a change of the service, and the pace is stored as it is written', () => {
  const withPace = (pace: string) => configOf(`${pace}\n${minimal}`);
  const [none, slow, same, other] = [
    '',
    'pace: {pods: 50, per: 1s}',
    'pace: {per: 1000ms, pods: 50}',
    'pace: {pods: 50, per: 2s}',
  ].map(withPace);
  assert.ok(none !== undefined && slow !== undefined && same !== undefined && other !== undefined);
  const changed = (old: Config, next: Config) => compareConfigs(old, next).changed.length;
  assert.deepEqual([changed(none, slow), changed(slow, other), changed(slow, none), changed(slow, same)], [1, 1, 1, 0]);
  assert.match(JSON.stringify(configFileOf(slow)), /"pace":\{"pods":50,"per":"1s"\}/);
  assert.deepEqual(configOf(JSON.stringify(configFileOf(slow))), slow);
  const declared = configOf('declaredDependencies: {pace: {pods: 2, per: 5s}}').declared;
  assert.deepEqual(declared?.pace, { pods: 2, per: 5000 });
});

test('logs are read only with the section evidence, 20 lines by default', () => {
  const evidenceOf = (text: string) => configOf(text).evidence;
  assert.equal(evidenceOf(minimal), undefined);
  assert.deepEqual(evidenceOf('evidence: {}'), { logLines: 20 });
  assert.deepEqual(evidenceOf('evidence: {logLines: 200}'), { logLines: 200 });
});

test('a change of the section evidence is a change of the config, and is stored with every default', () => {
  const [without, few, many] = ['{}', 'evidence: {logLines: 5}', 'evidence: {}'].map(configOf);
  assert.ok(without !== undefined && few !== undefined && many !== undefined);
  assert.equal(compareConfigs(without, few).evidence, 'added');
  assert.equal(compareConfigs(few, many).evidence, 'changed');
  assert.equal(compareConfigs(many, without).evidence, 'removed');
  assert.equal('evidence' in compareConfigs(many, configOf('evidence: {logLines: 20}')), false);
  assert.deepEqual(configFileOf(many), { evidence: { logLines: 20 } });
});

test('a file with only services gets the defaults', () => {
  assert.deepEqual(parsed(minimal).get('db'), minimalService);
});

test('a byte order mark, CRLF, document markers and comments change nothing', () => {
  const variants = [
    `\uFEFF${minimal}`,
    minimal.replaceAll('\n', '\r\n'),
    `# weeder\n---\n${minimal}...\n`,
    `${minimal}---\n`,
  ];
  for (const text of variants) assert.deepEqual(parsed(text).get('db'), minimalService);
});

test('JSON is accepted as YAML', () => {
  const json = JSON.stringify({ servicesAndDependantSelectors: { db: { podSelectors: minimalService.podSelectors } } });
  assert.deepEqual(parsed(json).get('db'), minimalService);
});

test('an empty key counts as absent', () => {
  const text = [
    'watchDuration:',
    'onStart: null',
    'gracePeriodSeconds: ~',
    'servicesAndDependantSelectors:',
    '  db:',
    '    namespaces:',
    '    deletion:',
    '    podSelectors:',
    '      - matchLabels: {app: web}',
    '        matchExpressions:',
  ];
  assert.deepEqual(parsed(text.join('\n')).get('db'), minimalService);
});

test('anchors, aliases and merge keys are expanded', () => {
  const services = parsed(
    `
servicesAndDependantSelectors:
  db: &db
    podSelectors: &web
      - matchLabels: &labels {app: web}
  aliased: *db
  listed: {podSelectors: *web}
  merged:
    <<: *db
    onStart: never
  mergedFirst:
    onStart: always
    <<: [{onStart: never, barePods: delete}, {barePods: keep, podSelectors: *web}]
`.replaceAll('mergedFirst', 'merged-first'),
  );
  for (const name of ['db', 'aliased', 'listed']) assert.deepEqual(services.get(name), { ...minimalService, name });
  assert.deepEqual(services.get('merged'), { ...minimalService, name: 'merged', onStart: 'never' });
  const mergedFirst = { ...minimalService, name: 'merged-first', onStart: 'always', barePods: 'delete' };
  assert.deepEqual(services.get('merged-first'), mergedFirst);
});

test('an alias refers to the last anchor of its name before it', () => {
  const services = parsed(`
servicesAndDependantSelectors:
  one: &anchor {podSelectors: [{matchLabels: {app: one}}]}
  two: &service {<<: *anchor}
  three: &anchor {podSelectors: [{matchLabels: {app: three}}]}
  four: *service
  five: *anchor
`);
  assert.deepEqual(services.get('four')?.podSelectors, [{ matchLabels: { app: 'one' } }]);
  assert.deepEqual(services.get('five')?.podSelectors, [{ matchLabels: { app: 'three' } }]);
});

test('names with a meaning in JavaScript are ordinary names', () => {
  const services = parsed(
    'servicesAndDependantSelectors: {constructor: {podSelectors: [{matchLabels: {toString: valueOf}}]}}',
  );
  assert.deepEqual(services.get('constructor')?.podSelectors, [{ matchLabels: { toString: 'valueOf' } }]);
});

test('quoted and tagged scalars are text', () => {
  const services = parsed(
    `servicesAndDependantSelectors: {'1': {podSelectors: [{matchLabels: {a: "1", b: 'on', c: !!str 5}}]}}`,
  );
  assert.deepEqual(services.get('1')?.podSelectors, [{ matchLabels: { a: '1', b: 'on', c: '5' } }]);
});

test('every key of a service is compared, also one that the comparison does not know', () => {
  const service = configOf(minimal).services.values().next().value ?? assert.fail();
  const known: Readonly<Record<string, unknown>> = { ...service };
  assert.ok(behavesTheSame(service, { ...service }));
  const places = ['name', 'namespaces', 'selectorLines'];
  for (const key of [...Object.keys(known), 'aNewKey']) {
    const other = { ...service, [key]: key === 'podSelectors' ? [] : ['another value'] };
    assert.equal(behavesTheSame(service, other), places.includes(key), key);
  }
  const orders = [
    { ...service, aNewKey: { a: 1, b: 2 } },
    { ...service, aNewKey: { b: 2, a: 1 } },
  ] as const;
  assert.ok(behavesTheSame(...orders), 'the order of keys is not significant');
});
