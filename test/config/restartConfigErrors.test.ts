import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFieldError } from '../../src/base/fieldError.ts';
import { parseConfig } from '../../src/config/parse.ts';

/** The printed errors of a text. */
function errorsOf(text: string): readonly string[] {
  const parsed = parseConfig(text, 'f');
  return parsed.ok ? [] : parsed.error.map(formatFieldError);
}

/** The errors of a rule in flow style: as the only rule of a bare list, and of a mapping, which are the same. */
function errorsOfRule(rule: string): readonly string[] {
  const list = errorsOf(`restartControl:\n  -          ${rule}`).map((error) =>
    error.replace('restartControl[0]', '…'),
  );
  const mapping = errorsOf(`restartControl:\n  rules:\n    -        ${rule}`);
  assert.deepEqual(
    mapping.map((error) => error.replace(/^f:3/, 'f:2').replace('restartControl.rules[0]', '…')),
    list,
  );
  return list.map((error) => error.replace(/^f:2:\d+ /, ''));
}

const settings =
  'quietPeriod, quietMax, minInterval, strategy, imagePullSecrets, immutableRecreated, jobs, lateSources, unstick, stallAfter, progressDeadline, maintenanceWindows, sources';
const names = 'lower-case letters, digits and "-", at most 63, with a letter or digit at both ends';

test('a section that is neither a mapping nor a list is reported', () => {
  assert.deepEqual(errorsOf('restartControl: 5'), ['f:1:17 restartControl: found 5, expected a mapping or a list']);
});

test('all errors of the section are reported, with those of the services, in the order of the file', () => {
  const text = `servicesAndDependantSelectors: {db: {podSelectors: []}}
restartControl:
  strategy: rolout
  burst: 0
  unstick: maybe
  hashKey: {nmae: x}
  rules:
    - namespaces: shop
      kinds: [deployment]
      selector: {matchExpressions: [{key: a, operator: in}]}
    - bust: 3
onStart: recnt
`;
  assert.deepEqual(errorsOf(text), [
    'f:1:52 servicesAndDependantSelectors.db.podSelectors: this list is empty; give at least one label selector',
    'f:3:13 restartControl.strategy: found "rolout", allowed are rollout, evict; did you mean "rollout"?',
    'f:4:10 restartControl.burst: found 0, must be 1 or more',
    'f:5:12 restartControl.unstick: found "maybe", expected true or false',
    'f:6:13 restartControl.hashKey.nmae: unknown key; did you mean "name"?',
    'f:8:19 restartControl.rules[0].namespaces: found "shop", expected a list; a list with one entry is written [shop]',
    'f:9:15 restartControl.rules[0].kinds[0]: found "deployment", allowed are Deployment, StatefulSet, DaemonSet, CronJob, Job and those of workloadKinds; did you mean "Deployment"?',
    'f:10:56 restartControl.rules[0].selector.matchExpressions[0].operator: found "in", allowed are In, NotIn, Exists, DoesNotExist; did you mean "In"?',
    `f:11:7 restartControl.rules[1].bust: unknown key, allowed are namespaces, kinds, selector, ${settings}`,
    'f:12:10 onStart: found "recnt", allowed are recent, always, never; did you mean "recent"?',
  ]);
});

test('an unknown key is reported with the allowed keys at its position, in both forms', () => {
  assert.deepEqual(errorsOf('restartControl: {maxConcurrentRolouts: 1}'), [
    `f:1:18 restartControl.maxConcurrentRolouts: unknown key; did you mean "maxConcurrentRollouts"?`,
  ]);
  assert.deepEqual(errorsOfRule('{quietperiod: 5s, maintenanceWindows: [{corn: a, cron: "@daily", duration: 1h}]}'), [
    `….quietperiod: unknown key; did you mean "quietPeriod"?`,
    '….maintenanceWindows[0].corn: unknown key; did you mean "cron"?',
  ]);
  assert.deepEqual(errorsOfRule('{sources: [{namespace: a, name: b}], selector: {matchLabel: {a: b}}}'), [
    '….sources[0].name: unknown key; did you mean "names"?',
    '….selector.matchLabel: unknown key; did you mean "matchLabels"?',
  ]);
});

test('each key of a rule is validated', () => {
  const how = 'a duration is written like 300ms, 1.5h or 2m30s (units are ns, us, ms, s, m, h)';
  const timer = 'must be at most 576h (24 days): a timer counts to 2147483647 ms';
  const subdomain =
    'lower-case letters, digits, "-" and ".", at most 253, with a letter or digit at both ends of each part';
  const errors: Readonly<Record<string, string>> = {
    'namespaces: []': '….namespaces: this list is empty; name a namespace, or leave out the key',
    'namespaces: [Shop]': `….namespaces[0]: found "Shop", allowed are ${names}`,
    'kinds: []': '….kinds: this list is empty; name a kind, or leave out the key',
    'kinds: Job': '….kinds: found "Job", expected a list; a list with one entry is written [Job]',
    'selector: {}':
      '….selector: this selector is empty and would match every workload; give it matchLabels or matchExpressions',
    'quietPeriod: 5': '….quietPeriod: found a number without a unit; a duration is written like 5m0s or 90s',
    'quietPeriod: -1s': '….quietPeriod: found "-1s", must be 0s or longer',
    'quietMax: 2d': `….quietMax: found "2d", whose unit "d" is unknown; ${how}`,
    'minInterval: 577h': `….minInterval: found "577h", ${timer}`,
    'strategy: evcit': '….strategy: found "evcit", allowed are rollout, evict; did you mean "evict"?',
    'imagePullSecrets: true': '….imagePullSecrets: found true, allowed are ignore, hash',
    'immutableRecreated: reprot':
      '….immutableRecreated: found "reprot", allowed are report, replace; did you mean "report"?',
    'jobs: [report]': '….jobs: found a list, allowed are report, recreate',
    'unstick: 1': '….unstick: found 1, expected true or false',
    'stallAfter: 0s': '….stallAfter: found "0s", must be longer than 0',
    'progressDeadline: 0s': '….progressDeadline: found "0s", must be longer than 0',
    'maintenanceWindows: {}': '….maintenanceWindows: found a mapping, expected a list; begin each entry with "- "',
    'maintenanceWindows: [{duration: 1h}]':
      '….maintenanceWindows[0].cron: missing; give the times at which the window opens, such as "0 22 * * 1-5"',
    'maintenanceWindows: [{cron: "@daily"}]': '….maintenanceWindows[0].duration: missing, expected a text',
    'maintenanceWindows: [{cron: "@daily", duration: 0s}]':
      '….maintenanceWindows[0].duration: found "0s", must be longer than 0',
    'sources: [{kinds: [Secret]}]': '….sources[0].namespace: missing, expected a text',
    'sources: [{namespace: a, kinds: [Pod]}]': '….sources[0].kinds[0]: found "Pod", allowed are ConfigMap, Secret',
    'sources: [{namespace: a, names: []}]': '….sources[0].names: this list is empty; give a name, or leave out the key',
    'sources: [{namespace: a, names: [a_b]}]': `….sources[0].names[0]: found "a_b", allowed are ${subdomain}`,
  };
  for (const [rule, error] of Object.entries(errors)) assert.deepEqual(errorsOfRule(`{${rule}}`), [error]);
});

test('kinds of other groups are named with their group, once, before a rule may name them', () => {
  const errorOf = (kinds: string, rule = '') =>
    errorsOf(`restartControl: {rules: [${rule}], workloadKinds: [${kinds}]}`).map((error) =>
      error.replace(/^f:1:\d+ restartControl\./, ''),
    );
  const withGroup = 'a kind is named with its group, such as Rollout.argoproj.io';
  assert.deepEqual(errorOf('{kind: Rollout}'), [`workloadKinds[0].kind: found "Rollout"; ${withGroup}`]);
  assert.deepEqual(errorOf('{kind: rollout.argoproj.io}'), [
    `workloadKinds[0].kind: found "rollout.argoproj.io"; ${withGroup}`,
  ]);
  assert.deepEqual(errorOf('{}'), [
    'workloadKinds[0].kind: missing; name the kind with its group, such as Rollout.argoproj.io',
  ]);
  assert.deepEqual(errorOf('{kind: Deployment.apps}'), [
    'workloadKinds[0].kind: found "Deployment.apps", a kind of Kubernetes, which is managed without being named here',
  ]);
  assert.deepEqual(errorOf('{kind: A.b}, {kind: A.b}'), ['workloadKinds[1].kind: found "A.b" for the second time']);
  assert.deepEqual(errorOf('{kind: A.b, templatePath: template}'), [
    'workloadKinds[0].templatePath: found "template"; the path of a field is written like spec.template',
  ]);
  assert.deepEqual(errorOf('{kind: A.b, restartedField: spec.at}'), [
    'workloadKinds[0].restartedField: found "spec.at"; the path of a field is written like status.restartedAt',
  ]);
  assert.deepEqual(errorOf('{kind: A.b, restartBy: tmie}'), [
    'workloadKinds[0].restartBy: found "tmie", allowed are template, time; did you mean "time"?',
  ]);
  assert.deepEqual(errorOf('{kind: A.b}', '{kinds: [A.b, A.c]}'), [
    'rules[0].kinds[1]: found "A.c", which restartControl.workloadKinds does not name',
  ]);
  assert.deepEqual(errorsOfRule('{kinds: [A.b]}'), [
    '….kinds[0]: found "A.b", which restartControl.workloadKinds does not name',
  ]);
  assert.deepEqual(errorOf('{kind: StatefulSet.apps.kruise.io}', '{kinds: [StatefulSet.apps.kruise.io]}'), []);
});

test('a window that is invalid, or never opens, is refused', () => {
  const errorOf = (window: string) => errorsOfRule(`{maintenanceWindows: [{duration: 1h, ${window}}]}`).join('\n');
  assert.match(
    errorOf('cron: "0 22 * *"'),
    /^….maintenanceWindows\[0\].cron: found "0 22 \* \* ?", which has 4 fields and not five/,
  );
  assert.match(errorOf('cron: "61 * * * *"'), /cron: found .*, whose minute "61" is invalid/);
  assert.match(errorOf('cron: "0 0 30 2 *"'), /cron: found "0 0 30 2 \*", a day that never comes/);
  assert.match(errorOf('cron: "@nightly"'), /cron: found "@nightly", which is not a nickname/);
  assert.match(
    errorOf('cron: "@daily", timeZone: Europe/Berlinn'),
    /timeZone: found "Europe\/Berlinn", which is not a known time zone; .*; did you mean "Europe\/Berlin"\?$/,
  );
  assert.match(errorOf('cron: 5'), /cron: found 5, expected a text; write it in quotes: "5"/);
  assert.equal(errorOf('cron: "0 0 29 2 *", timeZone: America/New_York'), '');
});

test('each limit is a whole number of 1 or more, and the other top-level keys are validated', () => {
  for (const key of ['maxRestartsPerMinute', 'burst', 'maxConcurrentRollouts', 'maxAdoptionsPerMinute']) {
    const errorOf = (value: string) => errorsOf(`restartControl: {${key}: ${value}}`).join('\n').split(': ').slice(1);
    assert.deepEqual(errorOf('0'), ['found 0, must be 1 or more']);
    assert.deepEqual(errorOf('-1'), ['found -1, must be 1 or more']);
    assert.deepEqual(errorOf('1.5'), ['found 1.5, expected a whole number']);
    assert.deepEqual(errorOf('"3"'), ['found "3", expected a whole number; write it without quotes', '3']);
    assert.deepEqual(errorOf('1'), []);
  }
  assert.deepEqual(errorsOf('restartControl: {access: name, hashKey: {namespace: A, name: "a b"}, rules: {}}'), [
    'f:1:26 restartControl.access: found "name", allowed are all, named; did you mean "named"?',
    `f:1:53 restartControl.hashKey.namespace: found "A", allowed are ${names}`,
    'f:1:62 restartControl.hashKey.name: found "a b", allowed are lower-case letters, digits, "-" and ".", at most 253, with a letter or digit at both ends of each part',
    'f:1:77 restartControl.rules: found a mapping, expected a list; begin each entry with "- "',
  ]);
  assert.deepEqual(errorsOf('restartControl: [{burst: 1}]'), [
    `f:1:19 restartControl[0].burst: unknown key; it is a key of restartControl`,
  ]);
});

test('contradicting durations are reported at the one that causes the contradiction', () => {
  assert.deepEqual(errorsOfRule('{quietMax: 1s}'), ['….quietMax: found 1s, must be at least quietPeriod, which is 5s']);
  assert.deepEqual(errorsOfRule('{quietPeriod: 2m, stallAfter: 11m}'), [
    '….quietPeriod: found 2m0s, must be at most quietMax, which is 1m0s',
    '….stallAfter: found 11m0s, must be at most progressDeadline, which is 10m0s',
  ]);
  assert.deepEqual(errorsOfRule('{quietPeriod: 2m, quietMax: 2m, stallAfter: 10m}'), []);
  assert.deepEqual(errorsOfRule('{quietPeriod: 3m, quietMax: 2m}'), [
    '….quietMax: found 2m0s, must be at least quietPeriod, which is 3m0s',
  ]);
});

test('an invalid duration is reported once, even if it looks like a number', () => {
  const unitless = 'found a number without a unit; a duration is written like 5m0s or 90s';
  assert.deepEqual(errorsOfRule('{quietMax: 30}'), [`….quietMax: ${unitless}`]);
  assert.deepEqual(errorsOf('restartControl: {stallAfter: 1000000, quietMax: 1, rules: [{quietPeriod: 2m}]}'), [
    `f:1:30 restartControl.stallAfter: ${unitless}`,
    `f:1:49 restartControl.quietMax: ${unitless}`,
  ]);
});

test('a rule is validated with what it inherits, and an error at the top is only reported there', () => {
  assert.deepEqual(errorsOf('restartControl: {quietPeriod: 2m, rules: [{}, {quietMax: 90s}, {quietMax: 3m}]}'), [
    'f:1:31 restartControl.quietPeriod: found 2m0s, must be at most quietMax, which is 1m0s',
    'f:1:58 restartControl.rules[1].quietMax: found 1m30s, must be at least quietPeriod, which is 2m0s',
  ]);
  assert.deepEqual(errorsOf('restartControl: {quietPeriod: 2m, quietMax: 3m, rules: [{quietPeriod: 3m}]}'), []);
  assert.deepEqual(errorsOf('restartControl: {quietPeriod: x, rules: [{quietMax: 1ms}]}').length, 1);
});
