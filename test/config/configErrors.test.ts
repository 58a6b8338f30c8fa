import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFieldError, formatFieldErrors } from '../../src/base/fieldError.ts';
import { parseConfig } from '../../src/config/parse.ts';

/** The printed errors of a text. */
function errorsOf(text: string): readonly string[] {
  const parsed = parseConfig(text, 'f');
  return parsed.ok ? [] : parsed.error.map(formatFieldError);
}

/** The printed errors of a file whose one service has these lines, which begin on line 3. */
function errorsOfService(...lines: readonly string[]): readonly string[] {
  const indented = lines.map((line) => `    ${line}`);
  return errorsOf(['servicesAndDependantSelectors:', '  db:', ...indented].join('\n')).map((error) =>
    error.replace('servicesAndDependantSelectors.db', '…'),
  );
}

/** The same for one selector in flow style, which begins at 4:9. */
function errorsOfSelector(selector: string): readonly string[] {
  return errorsOfService('podSelectors:', `  - ${selector}`).map((error) => error.replace('….podSelectors[0]', '…'));
}

const names = 'lower-case letters, digits and "-", at most 63, with a letter or digit at both ends';
const values = 'letters, digits, "-", "_" and ".", at most 63, with a letter or digit at both ends, or nothing ("")';
const keys =
  'letters, digits, "-", "_" and ".", at most 63, with a letter or digit at both ends, after an optional DNS name and "/"';
const topKeys =
  'servicesAndDependantSelectors, declaredDependencies, watchDuration, namespaces, dependantNamespaces, onStart, whileNotReady, barePods, deletion, gracePeriodSeconds, pace, maintenanceWindows, podCreation, evidence, restartControl, observer, notifications';
const good = 'servicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {app: web}}]}}';

test('all errors of a file are reported, in the order of the file', () => {
  const text = [
    'onStart: recnt',
    'servicesAndDependantSelectors:',
    '  db:',
    '    podSelectors: []',
    'deletion: [evict]',
  ];
  assert.deepEqual(errorsOf(text.join('\n')), [
    'f:1:10 onStart: found "recnt", allowed are recent, always, never; did you mean "recent"?',
    'f:4:19 servicesAndDependantSelectors.db.podSelectors: this list is empty; give at least one label selector',
    'f:5:11 deletion: found a list, allowed are delete, evict',
  ]);
});

test('the number of lines of a log is limited, and the section is a mapping', () => {
  for (const lines of [0, 201, -1])
    assert.deepEqual(errorsOf(`evidence: {logLines: ${lines}}`), [
      `f:1:22 evidence.logLines: found ${lines}, must be from 1 to 200`,
    ]);
  assert.match(errorsOf('evidence: {logLines: many}').join(), /^f:1:22 evidence\.logLines: /);
  assert.match(errorsOf('evidence: true').join(), /^f:1:11 evidence: /);
});

test('a section without a value is an error, because it looks switched on; an empty mapping switches it on', () => {
  for (const key of ['declaredDependencies', 'podCreation', 'evidence', 'restartControl', 'observer']) {
    const error = `f:2:1 ${key}: this section is empty; write \`${key}: {}\` to switch it on, or remove the key`;
    for (const nothing of ['', ' ~', ' null', '\n  # rules: []'])
      assert.deepEqual(errorsOf(`${good}\n${key}:${nothing}`), [error], nothing);
    assert.deepEqual(errorsOf(`${good}\n${key}: {}`), []);
  }
});

test('an unknown key is reported with its position, the allowed keys and the nearest one', () => {
  assert.deepEqual(errorsOf(`${good}\nwatchduration: 5m`), [
    `f:2:1 watchduration: unknown key; did you mean "watchDuration"?`,
  ]);
  assert.deepEqual(errorsOf(`${good}\ninterval: 5m`), [`f:2:1 interval: unknown key, allowed are ${topKeys}`]);
  assert.deepEqual(errorsOf('evidence: {lines: 5}'), ['f:1:12 evidence.lines: unknown key, allowed are logLines']);
  assert.deepEqual(errorsOf('observer: {mode: detect}'), [
    'f:1:12 observer.mode: unknown key, allowed are allow, maintenanceWindows, pruneDelay, trialPeriod, applicationsPerNamespace, resourcesPerNamespace, bytesPerNamespace, bytes',
  ]);
  assert.deepEqual(errorsOf('observer: {maintenanceWindows: [{cron: "0 1 * *", duration: 1h}]}'), [
    'f:1:40 observer.maintenanceWindows[0].cron: found "0 1 * *", which has 4 fields and not five; a cron expression has five fields, minute, hour, day of the month, month, day of the week: "0 22 * * 1-5"',
  ]);
  assert.deepEqual(errorsOf('observer: {allow: [{namespace: all}]}'), [
    'f:1:21 observer.allow[0].namespace: unknown key; did you mean "namespaces"?',
  ]);
  assert.deepEqual(errorsOf('observer: {allow: [], applicationsPerNamespace: 2}'), [
    'f:1:19 observer.allow: this list is empty, so that no Application may hold anything; leave out the key',
  ]);
  assert.deepEqual(errorsOf('observer: {allow: [{namespaces: any, kinds: ["*"], clusterKinds: all}]}'), [
    'f:1:33 observer.allow[0].namespaces: found "any", allowed are same, all or a list of names',
    'f:1:46 observer.allow[0].kinds[0]: found "*"; a kind is written like Deployment, Widget.example.org or *.example.org',
  ]);
  assert.deepEqual(errorsOfSelector('{matchLabel: {a: b}}'), [
    'f:4:10 ….matchLabel: unknown key; did you mean "matchLabels"?',
  ]);
  assert.deepEqual(errorsOfSelector('{matchExpressions: [{key: a, operator: Exists, vales: []}]}'), [
    'f:4:56 ….matchExpressions[0].vales: unknown key; did you mean "values"?',
  ]);
});

test('a byte order mark and CRLF do not shift positions', () => {
  assert.deepEqual(errorsOf(`\uFEFFa: 1\r\n${good}\r\nb: 1\r\n`), [
    `f:1:1 a: unknown key, allowed are ${topKeys}`,
    `f:3:1 b: unknown key, allowed are ${topKeys}`,
  ]);
});

test('a missing key is reported at its parent', () => {
  assert.deepEqual(errorsOfService('onStart: never'), [
    'f:2:3 ….podSelectors: missing; give a list with at least one label selector',
  ]);
  assert.deepEqual(errorsOfSelector('{matchExpressions: [{}]}'), [
    'f:4:29 ….matchExpressions[0].key: missing, expected a text',
    'f:4:29 ….matchExpressions[0].operator: missing, allowed are In, NotIn, Exists, DoesNotExist',
  ]);
});

test('a selector that would match every pod is refused', () => {
  const empty = 'this selector is empty and would match every pod; give it matchLabels or matchExpressions';
  for (const selector of ['{}', '{matchLabels: {}}', '{matchExpressions: []}', '{matchLabels: , matchExpressions: }']) {
    assert.deepEqual(errorsOfSelector(selector), [`f:4:9 …: ${empty}`]);
  }
  assert.deepEqual(errorsOfSelector(''), ['f:4:9 …: found nothing, expected a mapping']);
});

test('operators and values must match, and other errors of the same requirement are reported too', () => {
  assert.deepEqual(errorsOfSelector('{matchExpressions: [{key: a b, operator: in, values: [1, "a b"]}]}'), [
    `f:4:35 ….matchExpressions[0].key: found "a b", allowed are ${keys}`,
    'f:4:50 ….matchExpressions[0].operator: found "in", allowed are In, NotIn, Exists, DoesNotExist; did you mean "In"?',
    'f:4:63 ….matchExpressions[0].values[0]: found 1, expected a text; write it in quotes: "1"',
    `f:4:66 ….matchExpressions[0].values[1]: found "a b", allowed are ${values}`,
  ]);
  assert.deepEqual(
    errorsOfSelector('{matchExpressions: [{key: a, operator: NotIn}, {key: a, operator: Exists, values: [x]}]}'),
    [
      'f:4:29 ….matchExpressions[0].values: missing; NotIn needs at least one value',
      'f:4:91 ….matchExpressions[1].values: not allowed with Exists; remove the key',
    ],
  );
});

test('numbers, booleans and nothing are refused in place of text, with what to write', () => {
  assert.deepEqual(errorsOfSelector('{matchLabels: {a: 0777, b: on, c: true, d: , e: [], f: {}}}'), [
    'f:4:27 ….matchLabels.a: found 0777, expected a text; write it in quotes: "0777"',
    'f:4:36 ….matchLabels.b: found on (which is read as true), expected a text; write it in quotes: "on"',
    'f:4:43 ….matchLabels.c: found true, expected a text; write it in quotes: "true"',
    'f:4:49 ….matchLabels.d: found nothing, expected a text; the empty text is written ""',
    'f:4:57 ….matchLabels.e: found an empty list, expected a text',
    'f:4:64 ….matchLabels.f: found a mapping, expected a text',
  ]);
  assert.deepEqual(errorsOfSelector('{matchLabels: {1: a, "x y": b, [k]: c}}'), [
    'f:4:24 ….matchLabels: the key 1 is read as a number; write it in quotes: "1"',
    `f:4:30 ….matchLabels["x y"]: this name is not allowed; allowed are ${keys}`,
    'f:4:40 ….matchLabels: a key is a list or a mapping, expected a text; is this a template that was not rendered?',
  ]);
});

test('an invalid service name does not hide errors below it', () => {
  assert.deepEqual(errorsOf('servicesAndDependantSelectors: {My_DB: {podSelectors: web}}'), [
    `f:1:33 servicesAndDependantSelectors.My_DB: this name is not allowed; allowed are ${names}`,
    'f:1:55 servicesAndDependantSelectors.My_DB.podSelectors: found "web", expected a list; a list with one entry is written [web]',
  ]);
  assert.deepEqual(errorsOf('servicesAndDependantSelectors: {__proto__: {}}'), [
    'f:1:33 servicesAndDependantSelectors: the key "__proto__" is not allowed',
  ]);
});

test('a value in place of a list is reported with how to write a list', () => {
  assert.deepEqual(errorsOfService('podSelectors: {matchLabels: {a: b}}'), [
    'f:3:19 ….podSelectors: found a mapping, expected a list; begin each entry with "- "',
  ]);
});

test('durations are parsed as in Go, and limited to what a timer can count', () => {
  const how = 'a duration is written like 300ms, 1.5h or 2m30s (units are ns, us, ms, s, m, h)';
  const limit = 'must be at most 576h (24 days): a timer counts to 2147483647 ms';
  const errors: Record<string, string> = {
    '5': 'found a number without a unit; a duration is written like 5m0s or 90s',
    '"5"': `found "5", which has no unit; ${how}`,
    '2d': `found "2d", whose unit "d" is unknown; ${how}`,
    '0s': 'found "0s", must be longer than 0',
    '-1m': 'found "-1m", must be longer than 0',
    '576h1ns': `found "576h1ns", ${limit}`,
    '{s: 5}': 'found a mapping, expected a text',
  };
  for (const [text, error] of Object.entries(errors)) {
    assert.deepEqual(errorsOf(`watchDuration: ${text}\n${good}`), [`f:1:16 watchDuration: ${error}`]);
  }
  assert.deepEqual(errorsOf(`watchDuration: 576h\n${good}`), []);
});

test('dependantNamespaces other than the service’s own require namespaces', () => {
  const needs = (place: string) =>
    `f:${place}: needs \`namespaces\`, the namespaces of the service: without it, a service of this name in any watched namespace would have the dependants of others deleted`;
  const entry = (more: string) => `podSelectors: [{matchLabels: {app: web}}]${more}`;
  const file = (top: string, ...services: string[]) =>
    `${top}servicesAndDependantSelectors:\n${services.map((each, index) => `  s${index}: {${each}}\n`).join('')}`;
  const section = 'servicesAndDependantSelectors';
  const wide = ', dependantNamespaces: all';
  assert.deepEqual(errorsOf(file('', entry(wide))), [needs(`2:72 ${section}.s0.dependantNamespaces`)]);
  assert.deepEqual(errorsOf(file('', entry(', dependantNamespaces: [b]'))), [
    needs(`2:72 ${section}.s0.dependantNamespaces`),
  ]);
  assert.deepEqual(errorsOf(file('dependantNamespaces: all\n', entry(''), entry(''))), [
    needs('1:22 dependantNamespaces'),
  ]);
  for (const right of [
    file('', entry(`${wide}, namespaces: [a]`)),
    file('', entry('')),
    file('', entry(', dependantNamespaces: same')),
    file('namespaces: [a]\n', entry(wide)),
    file('dependantNamespaces: all\n', entry(', namespaces: [a]')),
    file('dependantNamespaces: all\n', entry(', dependantNamespaces: same')),
  ])
    assert.deepEqual(errorsOf(right), [], right);
});

test('namespaces, choices and seconds are validated', () => {
  const text = [
    'namespaces: all',
    'dependantNamespaces: shop',
    'whileNotReady: off',
    'barePods: kep',
    'gracePeriodSeconds: "30"',
    'servicesAndDependantSelectors:',
    '  db:',
    '    podSelectors: [{matchLabels: {app: web}}]',
    '    namespaces: []',
    '    dependantNamespaces: [Shop, 5]',
    '    gracePeriodSeconds: -1',
    '  web: {podSelectors: [{matchLabels: {app: web}}], gracePeriodSeconds: 1.5, dependantNamespaces: {}}',
  ];
  const whichNamespaces = 'allowed are same, all or a list of names';
  assert.deepEqual(
    errorsOf(text.join('\n')).map((error) => error.replace('servicesAndDependantSelectors', '…')),
    [
      'f:1:13 namespaces: found "all", expected a list; a list with one entry is written [all]',
      `f:2:22 dependantNamespaces: found "shop", ${whichNamespaces}`,
      'f:3:16 whileNotReady: found off (which is read as false), allowed are hold, delete',
      'f:4:11 barePods: found "kep", allowed are keep, delete; did you mean "keep"?',
      'f:5:21 gracePeriodSeconds: found "30", expected a whole number; write it without quotes: 30',
      'f:9:17 ….db.namespaces: this list is empty; name a namespace, or leave out the key',
      `f:10:27 ….db.dependantNamespaces[0]: found "Shop", allowed are ${names}`,
      'f:10:33 ….db.dependantNamespaces[1]: found 5, expected a text; write it in quotes: "5"',
      'f:11:25 ….db.gracePeriodSeconds: found -1, must be 0 or more',
      'f:12:72 ….web.gracePeriodSeconds: found 1.5, expected a whole number',
      `f:12:98 ….web.dependantNamespaces: found a mapping, ${whichNamespaces}`,
    ],
  );
});

test('a pace needs a number of pods and a time of 100 ms or more', () => {
  const error = (pace: string) => errorsOf(`pace: ${pace}`).map((each) => each.replace(/^f:1:\d+ /, ''));
  assert.deepEqual(error('{pods: 1, per: 100ms}'), []);
  assert.deepEqual(error('{pods: 0, per: 99ms}'), [
    'pace.pods: found 0, must be 1 or more',
    'pace.per: found 99ms, must be 100ms or longer',
  ]);
  assert.deepEqual(error('{pods: 1.5, per: 0s}'), [
    'pace.pods: found 1.5, expected a whole number',
    'pace.per: found "0s", must be longer than 0',
  ]);
  assert.deepEqual(error('{pods: 50, per: 1}'), [
    'pace.per: found a number without a unit; a duration is written like 5m0s or 90s',
  ]);
  assert.deepEqual(error('{pods: 50}'), ['pace.per: missing, expected a text']);
  assert.deepEqual(error('{per: 1s}'), ['pace.pods: missing, expected a whole number']);
  assert.deepEqual(error('50'), ['pace: found 50, expected a mapping']);
  assert.deepEqual(error('{pods: 50, per: 1s, canary: true}'), ['pace.canary: unknown key, allowed are pods, per']);
});

test('a repeated key is reported with both lines, and its value is validated', () => {
  assert.deepEqual(errorsOf(`watchDuration: 5m\n${good}\nwatchDuration: 5\n"watchDuration": 6m`), [
    'f:3:1 watchDuration: written twice: first on line 1, again on line 3',
    'f:4:1 watchDuration: written twice: first on line 1, again on line 4',
  ]);
});

test('errors are printed up to a limit, and the others are counted', () => {
  const services = Array.from({ length: 60 }, (_, index) => `  db${index}: {podSelectors: []}`);
  const parsed = parseConfig(['servicesAndDependantSelectors:', ...services].join('\n'), 'f');
  assert.ok(!parsed.ok);
  assert.equal(parsed.error.length, 60);
  const lines = formatFieldErrors(parsed.error).split('\n');
  assert.equal(lines.length, 51);
  assert.equal(lines.at(-1), 'and 10 more errors');
  assert.equal(formatFieldErrors(parsed.error, 59).split('\n').at(-1), 'and 1 more error');
});
