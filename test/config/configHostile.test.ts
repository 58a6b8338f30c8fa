import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { type FieldError, formatFieldError, formatFieldErrors } from '../../src/base/fieldError.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { readConfigFile } from '../../src/config/read.ts';
import { isNestedTooDeeply } from '../../src/config/text/nesting.ts';

const folder = mkdtempSync(join(tmpdir(), 'weeder-config-'));
const good = ['original.yaml', 'additions.yaml', 'restart.yaml'].map((name) =>
  readFileSync(new URL(`../data/config/${name}`, import.meta.url), 'utf8'),
);

function errorsOf(text: string): readonly string[] {
  const parsed = parseConfig(text, 'f');
  return parsed.ok ? assert.fail('accepted') : parsed.error.map(formatFieldError);
}

async function errorsOfFile(name: string, content: string | Uint8Array): Promise<readonly string[]> {
  const path = join(folder, name);
  writeFileSync(path, content);
  return errorsOfPath(path);
}

async function errorsOfPath(path: string): Promise<readonly string[]> {
  const read = await readConfigFile(path);
  return read.ok
    ? assert.fail('accepted')
    : read.error.map((fieldError) => formatFieldError({ ...fieldError, file: 'f' }));
}

/** Asserts that every error has a position, one line, and a message of weeder. */
function assertReadable(text: string): void {
  const parsed = parseConfig(text, 'f');
  if (parsed.ok) return;
  assert.ok(parsed.error.length > 0);
  const lines = text.split('\n').length;
  for (const fieldError of parsed.error) assertReadableError(fieldError, lines);
}

function assertReadableError(fieldError: FieldError, lines: number): void {
  const printed = formatFieldError(fieldError);
  assert.doesNotMatch(printed, /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u);
  assert.doesNotMatch(
    fieldError.message,
    /^$|Invalid (input|option|key|element)|Unrecognized key|received|Too (small|big)|undefined|\bNaN\b(?!")/,
  );
  assert.ok(
    fieldError.line === undefined ||
      (fieldError.line >= 1 && fieldError.line <= lines && (fieldError.column ?? 0) >= 1),
    printed,
  );
}

test('any text results in a config or readable errors, and nothing throws', () => {
  const yamlish = fc.string({ unit: fc.constantFrom(...'ab1 \n\n:-[]{}&*!|>\'"%@`#?,~<\t\\\0\u2028'), maxLength: 60 });
  // Not the unit `binary` of fast-check, which first makes a map of all Unicode characters.
  const unit = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));
  fc.assert(fc.property(fc.oneof(fc.string({ unit }), fc.string(), yamlish), assertReadable), propertyRuns(2000));
});

test('any mutation of a valid config results in a config or readable errors', () => {
  const fragments = fc.constantFrom(
    ...[
      '',
      '{}',
      '[]',
      '~',
      '5',
      'on',
      '-1',
      '&a ',
      '*a',
      '<<: *a',
      '\n',
      '  ',
      ': ',
      '- ',
      '"',
      '\u0000',
      '!!binary ',
      '? ',
    ],
  );
  const edit = fc.record({
    at: fc.nat(),
    length: fc.nat(20),
    insert: fc.oneof(fragments, fc.string({ maxLength: 5 })),
  });
  const mutated = fc
    .tuple(fc.constantFrom(...good), fc.array(edit, { minLength: 1, maxLength: 4 }))
    .map(([text, edits]) =>
      edits.reduce((now, { at, length, insert }) => {
        const start = at % (now.length + 1);
        return now.slice(0, start) + insert + now.slice(start + length);
      }, text),
    );
  fc.assert(fc.property(mutated, assertReadable), propertyRuns(1000));
});

test('any value in place of any other results in a config or readable errors', () => {
  const keys = [
    'servicesAndDependantSelectors',
    'db',
    'podSelectors',
    'matchLabels',
    'matchExpressions',
    'key',
    'operator',
    'values',
    'watchDuration',
    'dependantNamespaces',
    'gracePeriodSeconds',
    'pace',
    'pods',
    'per',
    'restartControl',
    'observer',
    'rules',
    'maintenanceWindows',
    'cron',
    'sources',
    'selector',
    'quietPeriod',
    'constructor',
    '__proto__',
  ];
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 7 },
      fc.constantFrom('In', 'Exists', 'all', '5m', '', 'x'),
      fc.constantFrom(null, true, 0, -1, 1.5, 1e300),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (each) => assertReadable(JSON.stringify(each))),
    propertyRuns(2000),
  );
});

test('any bytes in a file result in a config or errors', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const path = join(folder, 'bytes');
      writeFileSync(path, bytes);
      const read = await readConfigFile(path);
      assert.ok(read.ok || read.error.length > 0);
    }),
    propertyRuns(200),
  );
});

test('an unreadable file is reported with the reason', async () => {
  assert.deepEqual(await errorsOfPath(join(folder, 'absent')), ['f: there is no such file']);
  assert.deepEqual(await errorsOfPath(join(folder, 'bytes', 'below')), [
    'f: cannot be read: a part of its path is not a directory',
  ]);
  assert.deepEqual(await errorsOfPath(folder), ['f: is a directory; give the path of the config file in it']);
  const read = await readConfigFile(join(folder, 'absent'));
  assert.equal(read.ok || read.error[0]?.code, 'CONFIG_UNREADABLE');
});

test('a file without read permission is reported as such', async () => {
  const path = join(folder, 'secret');
  writeFileSync(path, good[0] ?? '');
  chmodSync(path, 0o000);
  assert.deepEqual(await asOrdinaryUser(() => errorsOfPath(path)), ['f: may not be read by this user']);
});

/** Root can read every file: for root, the test runs as another user. */
async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test('binary files, other encodings and files that are too large are refused as such', async () => {
  const [text = ''] = good;
  const notText = 'f: is not text: it contains NUL bytes; a config is YAML in UTF-8';
  assert.deepEqual(await errorsOfFile('nul', `${text}\0`), [notText]);
  assert.deepEqual(await errorsOfPath('/dev/zero'), [notText]);
  assert.deepEqual(await errorsOfFile('utf16', Buffer.from(`\uFEFF${text}`, 'utf16le')), [
    'f: is UTF-16 text; save it as UTF-8',
  ]);
  assert.deepEqual(await errorsOfFile('latin1', Buffer.from(`${text}# é`, 'latin1')), [
    'f: is not UTF-8 text; a config is YAML in UTF-8',
  ]);
  assert.deepEqual(await errorsOfFile('large', `${text}#${'x'.repeat(1024 * 1024)}`), [
    'f: is larger than 1024 KiB, which no config needs',
  ]);
  assert.deepEqual(errorsOf(`#${'é'.repeat(600_000)}`), ['f: is larger than 1024 KiB, which no config needs']);
});

test('a pipe is read like a file, up to the same limit', () => {
  const script = `
    import { readConfigFile } from ${JSON.stringify(new URL('../../src/config/read.ts', import.meta.url).href)};
    const read = await readConfigFile('/dev/stdin');
    process.stdout.write(read.ok ? String([...read.value.services.keys()]) : read.error[0].message);`;
  const piped = (text: string) => {
    const path = join(folder, 'piped');
    writeFileSync(path, text);
    const shell = ['-c', 'cat "$1" | "$2" --input-type=module -e "$3"', 'sh', path, process.execPath, script];
    return execFileSync('sh', shell, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  };
  assert.equal(piped(`${good[0]}#${'x'.repeat(200_000)}\n`), 'etcd-main-client,kube-apiserver');
  assert.equal(piped(`##${'é'.repeat(600_000)}`), 'is larger than 1024 KiB, which no config needs');
});

test('an empty file is reported as such', async () => {
  const empty = 'f:1:1: the file is empty or has only comments; write {} for a config that does nothing';
  for (const text of ['', '\n', '# nothing\n', '---\n', '---\n# nothing\n---\n', '\uFEFF']) {
    assert.deepEqual(await errorsOfFile('empty', text), [empty], JSON.stringify(text));
  }
});

test('a top level that is not a mapping is reported as such', () => {
  for (const text of ['text', '- a\n- b', '5', '"x"', 'null', '[]']) {
    assert.deepEqual(errorsOf(text), [
      'f:1:1: the top level must be a mapping with the key servicesAndDependantSelectors, declaredDependencies, podCreation, restartControl or observer',
    ]);
  }
});

test('the format of dependency-watchdog before 1.0 is recognised, and the error says how the same is written now', () => {
  const services = 'services: {db: {dependantPods: [{name: web, selector: {matchLabels: {app: web}}}]}}';
  const rest =
    'this is the format of dependency-watchdog before 1.0; now write servicesAndDependantSelectors in place of services; podSelectors in place of dependantPods, whose items are selectors (matchLabels, matchExpressions) without a name';
  assert.deepEqual(errorsOf(`namespace: shop\n${services}`), [
    `f:1:1: ${rest}; namespaces: [shop] in place of namespace: shop`,
  ]);
  assert.deepEqual(errorsOf(services), [`f:1:1: ${rest}`]);
  const now = 'namespaces: [shop]\nservicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {app: web}}]}}';
  assert.ok(parseConfig(now, 'f').ok);
  for (const other of ['services: {db: {podSelectors: []}}', 'services: 5', `${now}\n${services}`])
    assert.match(errorsOf(other).join('\n'), / services: unknown key/);
});

test('a whole ConfigMap manifest is recognised, and the error names where the config is in it', () => {
  const manifest =
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: weeder}\ndata:\n  dep-config.yaml: |\n    watchDuration: 5m\n';
  const hint = (where: string) =>
    `f:1:1: this is a whole ConfigMap manifest; the config is only the value under data${where}: mount the ConfigMap, and give the path of the mounted file`;
  assert.deepEqual(errorsOf(manifest), [hint(', at dep-config.yaml')]);
  assert.deepEqual(errorsOf(`${manifest}---\nkind: Role\n`), [hint(', at dep-config.yaml')]);
  assert.deepEqual(errorsOf('apiVersion: v1\nkind: ConfigMap\n'), [hint('')]);
  assert.deepEqual(errorsOf('apiVersion: v1\nkind: Pod\n'), [
    "f:1:1: this is a Kubernetes manifest (kind: Pod), not weeder's config",
  ]);
});

test('several documents in one file are refused where the second begins', () => {
  assert.deepEqual(errorsOf('a: 1\n---\nb: 1\n---\nc: 1\n'), [
    'f:3:1: a config is one YAML document; another one begins here, the first of 2 more',
  ]);
});

test('invalid YAML is reported in one line per error, without an excerpt', () => {
  assert.deepEqual(errorsOf('a: b: c\n'), [
    'f:1:4: not valid YAML: Nested mappings are not allowed in compact mappings',
  ]);
  assert.deepEqual(errorsOf('a:\n\t- b\n'), ['f:2:1: not valid YAML: Tabs are not allowed as indentation']);
  assert.deepEqual(errorsOf('a: [1, 2\n'), [
    'f:2:1: not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ]);
  assert.deepEqual(errorsOf('a: !Ref x\n'), ['f:1:4: not valid YAML: Unresolved tag: !Ref']);
});

test('of several syntax errors the first is reported, because the others are mostly its consequences', () => {
  const readme = '# Title\n\nSome *text*: with `code`: and more\n\n- an item\n* another: one\n';
  const [error = '', ...others] = errorsOf(readme);
  assert.match(error, /^f:3:\d+: not valid YAML: /);
  assert.deepEqual(others, []);
  assert.equal(errorsOf('a: !Ref x\nb: !Sub y\n').length, 2);
});

test('unknown and recursive aliases, and merges of anything but mappings, are reported', () => {
  assert.deepEqual(errorsOf('a: *b\n'), ['f:1:4 a: *b refers to an anchor that is not set before it']);
  assert.deepEqual(errorsOf('a: &a [*a]\n'), ['f:1:8 a[0][0]: *a refers to a value that contains it']);
  assert.deepEqual(errorsOf('a: &a {<<: *a}\n'), ['f:1:12 a["<<"]["<<"]: *a refers to a value that contains it']);
  assert.deepEqual(errorsOf('<<: 5\n'), ['f:1:5 ["<<"]: only a mapping, or a list of mappings, can be merged']);
});

test('an alias bomb is refused in one sentence', () => {
  const levels = Array.from(
    { length: 9 },
    (_, level) => `a${level + 1}: &a${level + 1} [${Array(10).fill(`*a${level}`).join(', ')}]`,
  );
  const bomb = ['a0: &a0 [lol]', ...levels].join('\n');
  assert.deepEqual(errorsOf(bomb), [`f:6:15 a5[1]: aliases up to here expand to more than 100000 values: use fewer`]);
  const merges = Array.from(
    { length: 9 },
    (_, level) => `a${level + 1}: &a${level + 1} {<<: [${Array(10).fill(`*a${level}`).join(', ')}]}`,
  );
  assert.equal(errorsOf(['a0: &a0 {a: b}', ...merges].join('\n')).length, 1);
});

test('a thousand services that share one anchor are accepted', () => {
  const services = Array.from({ length: 1000 }, (_, index) => `  db${index}: {podSelectors: *selectors}`);
  const shared = '  db: {podSelectors: &selectors [{matchLabels: {app: web, tier: backend}}]}';
  const parsed = parseConfig(['servicesAndDependantSelectors:', shared, ...services].join('\n'), 'f');
  assert.equal(parsed.ok && parsed.value.services.size, 1001);
});

test('too deep nesting is refused in one sentence', () => {
  assert.match(errorsOf('['.repeat(60) + ']'.repeat(60)).join('\n'), /^f:1:\d+ .*: nested more than 50 levels deep$/);
  for (const text of ['[', '- ', '{a: ', '? ']) {
    const errors = errorsOf(text.repeat(100_000));
    assert.equal(errors.length, 1, text);
    assert.match(errors[0] ?? '', /^f:1:\d+: nested too deeply to be read$/);
  }
});

test('the largest possible files are refused or accepted in finite time', { timeout: 120_000 }, () => {
  // A tenth of the size on a workstation.
  const sized = (count: number) => (process.env['CI'] === undefined ? count / 10 : count);
  const texts = {
    services: `servicesAndDependantSelectors:\n${Array.from({ length: sized(18_000) }, (_, i) => `  s${i}: {podSelectors: [{matchLabels: {a: b}}]}\n`).join('')}`,
    keys: Array.from({ length: sized(20_000) }, (_, i) => `k${i}: 1\n`).join(''),
    duplicates: 'k: 1\n'.repeat(sized(40_000)),
    aliases: `a: &a 1\n${Array.from({ length: sized(20_000) }, (_, i) => `k${i}: *a\n`).join('')}`,
    documents: '---\na\n'.repeat(sized(40_000)),
    errors: 'a: b: c\n'.repeat(sized(20_000)),
    commas: `[${','.repeat(sized(300_000))}]`,
    word: `watchDuration: ${'9'.repeat(sized(1_000_000))}s`,
    cron: `restartControl: [{maintenanceWindows: [{cron: "${'1-'.repeat(sized(200_000))}5 * * * *", duration: 1h}]}]`,
    rules: `restartControl:\n${'  - {quietMax: 1s}\n'.repeat(sized(40_000))}`,
    label: `servicesAndDependantSelectors: {a: {podSelectors: [{matchLabels: {"${'a.'.repeat(sized(400_000))}": ${'a'.repeat(sized(200_000))}}}]}}`,
  };
  for (const [name, text] of Object.entries(texts)) {
    const parsed = parseConfig(text, 'f');
    const printed = parsed.ok ? '' : formatFieldErrors(parsed.error);
    assert.ok(printed.length < 50_000, `${name} prints ${printed.length} characters`);
    assert.equal(parsed.ok, name === 'services', name);
  }
});

test('too deep nesting is refused before parsing, and brackets in strings do not count', () => {
  const mib = 1024 * 1024;
  const refused = (text: string) => {
    const read = parseConfig(text, 'f');
    return read.ok ? undefined : read.error.map(({ message }) => message);
  };
  for (const piece of ['[', '{', '[{', '[a, ', 'a: {', '- ', '? '])
    assert.deepEqual(refused(piece.repeat(mib / 2 / piece.length)), ['nested too deeply to be read'], piece);
  const service = (name: string) => `  ${name}: {podSelectors: [{matchLabels: {app: a}}]}\n`;
  const names = Array.from({ length: 2_000 }, (_, index) => service(`s${index}`)).join('');
  assert.equal(refused(`# ${'['.repeat(500)}\nservicesAndDependantSelectors:\n${names}`), undefined);
  assert.equal(isNestedTooDeeply('[]'.repeat(10_000)), false);
  assert.equal(isNestedTooDeeply(`a: |\n  ${'-'.repeat(500)}\n`), false);
  const entry = { podSelectors: [{ matchLabels: { app: 'a', 'b - c': '- ? : ' } }] };
  const json = JSON.stringify({
    servicesAndDependantSelectors: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`s${index}`, entry])),
  });
  assert.equal(isNestedTooDeeply(json.replaceAll(':', ': ')), false, 'all in one line');
});

test('a text that is not YAML has one error, and at most a hundred unknown tags are reported', () => {
  const errorsIn = (text: string) => {
    const read = parseConfig(text, 'f');
    assert(!read.ok);
    return read.error.length;
  };
  assert.equal(errorsIn('[]'.repeat(5_000)), 1);
  assert.equal(errorsIn('- !Ref x\n'.repeat(5_000)), 100);
});
