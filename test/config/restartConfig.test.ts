import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFieldErrors } from '../../src/base/fieldError.ts';
import { compareConfigs, hasSameRestart } from '../../src/config/compare.ts';
import type { Config } from '../../src/config/config.ts';
import { configFileOf } from '../../src/config/configText.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { RestartConfig } from '../../src/config/restart.ts';

function configOf(text: string): Config {
  const parsed = parseConfig(text, 'f');
  return parsed.ok ? parsed.value : assert.fail(formatFieldErrors(parsed.error));
}

function restartOf(text: string): RestartConfig {
  return configOf(text).restart ?? assert.fail('there is no restart control');
}

const service = 'servicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {app: web}}]}}';

const byDefault = {
  quietPeriod: 5_000,
  quietMax: 60_000,
  minInterval: 60_000,
  strategy: 'rollout',
  imagePullSecrets: 'ignore',
  immutableRecreated: 'report',
  jobs: 'report',
  lateSources: 'ignore',
  unstick: false,
  stallAfter: 60_000,
  progressDeadline: 600_000,
  maintenanceWindows: [],
  sources: [],
};
const everything = {
  namespaces: 'all',
  kinds: new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job']),
  selector: undefined,
};
const limits = {
  maxRestartsPerMinute: 30,
  burst: 20,
  maxConcurrentRollouts: 10,
  maxAdoptionsPerMinute: 120,
  access: 'all',
  workloadKinds: [],
  sourceKinds: new Set(['ConfigMap', 'Secret']),
  hashKey: { namespace: undefined, name: 'weeder-hash-key' },
};

/** Each setting as in the file, and as parsed. */
const others: Readonly<Record<keyof typeof byDefault, readonly [string, unknown]>> = {
  quietPeriod: ['0s', 0],
  quietMax: ['90s', 90_000],
  minInterval: ['1h', 3_600_000],
  strategy: ['evict', 'evict'],
  imagePullSecrets: ['hash', 'hash'],
  immutableRecreated: ['report', 'report'],
  jobs: ['report', 'report'],
  lateSources: ['evict', 'evict'],
  unstick: ['true', true],
  stallAfter: ['2m', 120_000],
  progressDeadline: ['1h', 3_600_000],
  maintenanceWindows: [
    '[{cron: "0 22 * * 1-5", timeZone: Europe/Berlin, duration: 2h}, {cron: "@daily", duration: 1m}]',
    [
      { cron: '0 22 * * 1-5', timeZone: 'Europe/Berlin', duration: 7_200_000 },
      { cron: '@daily', timeZone: 'UTC', duration: 60_000 },
    ],
  ],
  sources: [
    '[{namespace: infra}, {namespace: certs, kinds: [Secret, Secret], names: [ca.crt, ca.crt]}]',
    [
      { namespace: 'infra', kinds: new Set(['ConfigMap', 'Secret']), names: 'all' },
      { namespace: 'certs', kinds: new Set(['Secret']), names: ['ca.crt'] },
    ],
  ],
};

test('without the section nothing is managed, and with it services are optional', () => {
  assert.equal(configOf(service).restart, undefined);
  const { services, restart } = configOf('restartControl: {}');
  assert.equal(services.size, 0);
  assert.deepEqual(restart, { rules: [], defaults: byDefault, ...limits });
  assert.equal(configOf(`${service}\nrestartControl: {}`).services.size, 1);
});

test('a bare list is equivalent to a mapping with only rules', () => {
  const list = '[{namespaces: [shop, shop]}, {kinds: [Job], strategy: evict}]';
  const expected = {
    rules: [
      { ...everything, ...byDefault, namespaces: ['shop'] },
      { ...everything, ...byDefault, kinds: new Set(['Job']), strategy: 'evict' },
    ],
    defaults: byDefault,
    ...limits,
  };
  assert.deepEqual(restartOf(`restartControl: ${list}`), expected);
  assert.deepEqual(restartOf(`restartControl: {rules: ${list}}`), expected);
  assert.deepEqual(restartOf('restartControl: []'), restartOf('restartControl: {rules: }'));
});

test('every setting can be set for a rule, and for all rules at the top; a rule takes precedence', () => {
  for (const [key, [text, value]] of Object.entries(others)) {
    const atTop = restartOf(`restartControl: {${key}: ${text}, rules: [{}]}`);
    assert.deepEqual(atTop.defaults, { ...byDefault, [key]: value }, key);
    assert.deepEqual(atTop.rules, [{ ...everything, ...byDefault, [key]: value }], key);
    const atRule = restartOf(`restartControl: {rules: [{${key}: ${text}}, {${key}: }]}`);
    assert.deepEqual(atRule.defaults, byDefault, key);
    assert.deepEqual(atRule.rules, [
      { ...everything, ...byDefault, [key]: value },
      { ...everything, ...byDefault },
    ]);
  }
  const { rules } = restartOf(
    `restartControl: {maintenanceWindows: ${others.maintenanceWindows[0]}, unstick: true, rules: [{maintenanceWindows: []}]}`,
  );
  assert.deepEqual([rules[0]?.maintenanceWindows, rules[0]?.unstick], [[], true]);
});

test('limits, access and hash key are set at the top', () => {
  const {
    rules: _,
    defaults,
    ...rest
  } = restartOf(`
restartControl:
  maxRestartsPerMinute: 1
  burst: 2
  maxConcurrentRollouts: 3
  maxAdoptionsPerMinute: 4
  access: named
  sourceKinds: [ConfigMap]
  workloadKinds: [{kind: Rollout.argoproj.io}, {kind: Server.example.org, restartBy: time, restartField: spec.at}]
  hashKey: {namespace: garden, name: key.of.hashes}
`);
  assert.deepEqual(rest, {
    maxRestartsPerMinute: 1,
    burst: 2,
    maxConcurrentRollouts: 3,
    maxAdoptionsPerMinute: 4,
    access: 'named',
    workloadKinds: [
      { name: 'Rollout.argoproj.io' },
      { name: 'Server.example.org', restartBy: 'time', restartField: 'spec.at' },
    ],
    sourceKinds: new Set(['ConfigMap']),
    hashKey: { namespace: 'garden', name: 'key.of.hashes' },
  });
  assert.deepEqual(defaults, byDefault);
});

test('a selector selects workloads, in both of its forms', () => {
  const { rules } = restartOf(
    'restartControl: [{selector: {matchLabels: {a: b}, matchExpressions: [{key: c, operator: Exists, values: []}]}}]',
  );
  assert.deepEqual(rules[0]?.selector, {
    matchLabels: { a: 'b' },
    matchExpressions: [{ key: 'c', operator: 'Exists' }],
  });
});

const allSettings = `
${service}
restartControl:
  ${Object.entries(others)
    .map(([key, [text]]) => `${key}: ${text}`)
    .join('\n  ')}
  burst: 7
  access: named
  sourceKinds: [Secret]
  hashKey: {namespace: garden}
  rules:
    - {namespaces: [shop, billing], kinds: [Job, CronJob], selector: {matchLabels: {a: b, c: d}}, maintenanceWindows: []}
    - {quietPeriod: 1.5s}
`;

test('a config that is written as a file parses to itself', () => {
  for (const text of [allSettings, 'restartControl: []', `${service}\nrestartControl: {}`, service]) {
    const config = configOf(text);
    assert.deepEqual(configOf(JSON.stringify(configFileOf(config))), config);
  }
});

test('a change of the section is reported, and an equivalent section is not a change', () => {
  const changeOf = (from: string, to: string) => compareConfigs(configOf(from), configOf(to)).restartControl;
  assert.equal(changeOf(service, allSettings), 'added');
  assert.equal(changeOf(allSettings, service), 'removed');
  assert.equal(changeOf(service, service), undefined);
  assert.equal('restartControl' in compareConfigs(configOf(allSettings), configOf(allSettings)), false);
  const reworded = allSettings
    .replace('[shop, billing]', '[billing, shop, billing]')
    .replace('[Job, CronJob]', '[CronJob, Job]')
    .replace(
      '{matchLabels: {a: b, c: d}}',
      '{matchExpressions: [{key: c, operator: In, values: [d]}], matchLabels: {a: b}}',
    )
    .replace('1.5s', '1500ms')
    .replace('[{namespace: infra}, ', '[{kinds: [Secret, ConfigMap], namespace: infra}, {namespace: infra}, ');
  assert.notEqual(reworded, allSettings);
  assert.equal(changeOf(allSettings, reworded), undefined);
  assert.ok(hasSameRestart(configOf(allSettings).restart, configOf(reworded).restart));
});

test('any other difference in the section is a change, including the order of rules', () => {
  const one = configOf('restartControl: {rules: [{}, {kinds: [Job]}]}').restart;
  const differs = (text: string) => assert.ok(!hasSameRestart(one, configOf(`restartControl: ${text}`).restart), text);
  const said = Object.entries(others).filter(([key]) => key !== 'immutableRecreated' && key !== 'jobs');
  // These two have one accepted value.
  for (const [key, [text]] of said) {
    differs(`{${key}: ${text}, rules: [{}, {kinds: [Job]}]}`);
    differs(`{rules: [{}, {kinds: [Job], ${key}: ${text}}]}`);
  }
  for (const limit of ['maxRestartsPerMinute', 'burst', 'maxConcurrentRollouts', 'maxAdoptionsPerMinute']) {
    differs(`{${limit}: 1, rules: [{}, {kinds: [Job]}]}`);
  }
  for (const text of [
    'access: named',
    'sourceKinds: [ConfigMap]',
    'hashKey: {name: other}',
    'hashKey: {namespace: other}',
  ]) {
    differs(`{${text}, rules: [{}, {kinds: [Job]}]}`);
  }
  for (const rules of ['[{kinds: [Job]}, {}]', '[{}]', '[{namespaces: [a]}, {kinds: [Job]}]']) differs(rules);
  differs('[{selector: {matchLabels: {a: b}}}, {kinds: [Job]}]');
  assert.ok(hasSameRestart(one, configOf('restartControl: [{}, {kinds: [Job]}]').restart));
});
