import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { formatFieldError } from '../../../src/base/fieldError.ts';
import { readApplicationFile } from '../../../src/cli/check/checkApplications.ts';
import { file, sharedCli } from '../../support/cli.ts';
import { byteEdit, edited, editedBytes, valueEdit } from '../../support/fuzz.ts';
import { repeatedCases } from '../../support/objects/repeatedKeys.ts';

const read = (name: string) => readFileSync(new URL(`../../data/applications/${name}`, import.meta.url), 'utf8');
const nginx = read('nginx.yaml');
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } };

function application(spec: object, metadata: object = { name: 'web' }): object {
  return { apiVersion: 'weeder.dev/v1alpha1', kind: 'Application', metadata, spec };
}

/** The errors of a text, one per line, and its warnings. */
function messagesOf(text: string): readonly string[] {
  const { errors, warnings } = readApplicationFile(text, 'f') ?? { errors: [], warnings: [] };
  return [...errors.map(formatFieldError), ...warnings.map((each) => `warning ${formatFieldError(each)}`)];
}

suite('check of Applications', { concurrency: 4 }, () => {
  test('summarises a valid file, next to documents of other kinds', async () => {
    const path = file('nginx.yaml', nginx);
    assert.deepEqual(await sharedCli(['check', path]), {
      code: 0,
      signal: null,
      stdout: [
        `${path}: ok, application shop/nginx: 2 resources, mode correct, deletionPolicy delete, as the account default`,
        '    Deployment shop/nginx: observed as its entry of the schema lists',
        '    Service shop/nginx: every field of its manifest is observed',
        '  1 other document is not checked',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  test('shows for each resource whether it is observed as a whole, as listed, or only by its presence', async () => {
    const named = (name: string, more: object = {}) => ({ ...configMap, metadata: { name }, ...more });
    const { data: _, ...presence } = named('there');
    const spec = {
      manifests: [named('whole'), named('listed'), named('there')],
      observerSchema: [{ ...presence, metadata: { name: 'listed', namespace: null }, data: { a: null } }, presence],
    };
    const { code, stdout } = await sharedCli(['check', file('presence.yaml', stringify(application(spec)))]);
    assert.equal(code, 0);
    assert.match(stdout, /ConfigMap whole: every field of its manifest is observed/);
    assert.match(stdout, /ConfigMap listed: observed as its entry of the schema lists/);
    assert.match(stdout, /ConfigMap there: only its existence is observed/);
  });

  test('lists all errors, one per line with position, and exits with 1', async () => {
    const path = file('faulty.yaml', read('faulty.yaml'));
    const { code, stdout, stderr } = await sharedCli(['check', path]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.deepEqual(
      stderr
        .trimEnd()
        .replaceAll(path, 'f')
        .split('\n')
        .map((line) => line.split(': ', 1)[0]),
      [
        'f:6:9 spec.mode',
        'f:7:3 spec.pauseUntil',
        'f:12:7 spec.manifests[1]',
        'f:15:7 spec.manifests[2].apiVersion',
        'f:16:32 spec.manifests[2].metadata.generateName',
        'f:17:7 spec.manifests[3]',
        'f:21:25 spec.manifests[4].stringData.pin',
        'f:27:12 spec.observerSchema[0].data.a',
        'f:33:11 spec.observerSchema[1].spec.ports',
        'f:45:13 spec.manifests[0].data.data',
        'f:53:7 spec.manifests[0]',
      ],
    );
    assert.ok(!stderr.includes('hunter2'));
  });

  test('warns about a Secret in clear text, and does not fail', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password' }, stringData: { a: 'hunter2' } };
    const path = file('secret.yaml', stringify(application({ manifests: [secret] })));
    const { code, stdout, stderr } = await sharedCli(['check', path]);
    assert.equal(code, 0);
    assert.match(
      stderr,
      /secret\.yaml:7:7 spec\.manifests\[0\]: warning: the content of a Secret is in clear text here/,
    );
    assert.ok(!`${stdout}${stderr}`.includes('hunter2'));
  });

  test('refuses an integer of more than 64 bits with its position, and accepts one that JavaScript would round', async () => {
    const thing = { apiVersion: 'example.org/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { id: 'ID' } };
    const text = (id: string) => stringify(application({ manifests: [thing] })).replace('ID', id);
    const read = readApplicationFile(text('9007199254740993'), 'f');
    assert.deepEqual(read?.errors, []);
    const object = read.applications[0]?.spec.manifests[0]?.object;
    assert.equal(JSON.stringify(object?.['spec']), '{"id":9007199254740993}');
    assert.deepEqual(
      readApplicationFile(text('18446744073709551615'), 'f')?.errors.map(({ path, message }) => `${path} ${message}`),
      [
        'spec.manifests[0].spec.id an integer beyond 64 bits, which Kubernetes rounds: write it as a text, if its field takes one',
      ],
    );
  });

  test('recognises other kinds of the same name, and configs', async () => {
    const argo = file('argo.yaml', stringify({ ...application({}), apiVersion: 'argoproj.io/v1alpha1' }));
    assert.match(
      (await sharedCli(['check', argo])).stderr,
      /this is a Kubernetes manifest \(kind: Application\), not weeder's config/,
    );
    const comment = '# weeder.dev/v1alpha1 has the kind Application\n';
    const config = file(
      'config.yaml',
      `${comment}servicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {a: b}}]}}\n`,
    );
    assert.match((await sharedCli(['check', config])).stdout, /ok, 1 service, 1 podSelector\n$/);
  });

  test('reads JSON, and files larger than a config may be', async () => {
    const large = (bytes: number) => ({
      ...configMap,
      metadata: { name: `n${bytes}` },
      data: { a: 'x'.repeat(bytes) },
    });
    const path = file('large.json', JSON.stringify(application({ manifests: [large(1_000_000)] })));
    assert.equal((await sharedCli(['check', path])).code, 0);
    const two = [
      application({ manifests: [large(900_000)] }),
      application({ manifests: [large(900_001)] }, { name: 'b' }),
    ];
    const several = file('several.yaml', two.map((each) => stringify(each)).join('---\n'));
    assert.match(
      (await sharedCli(['check', several])).stdout,
      /application web: 1 resource,[\s\S]*application b: 1 resource,/,
    );
    const tooMuch = file('much.json', JSON.stringify(application({ manifests: [large(2_000_000)] })));
    assert.match((await sharedCli(['check', tooMuch])).stderr, /spec\.manifests: larger than 1 MiB in total/);
  });
});

suite('a file of Applications', () => {
  test('may have manifests with numeric keys, and nested as deep as CRDs', () => {
    let deep: unknown = { type: 'string' };
    for (let level = 0; level < 30; level += 1) deep = { properties: { a: deep }, items: {} };
    const text = stringify(application({ manifests: [{ ...configMap, spec: deep }] }));
    assert.deepEqual(messagesOf(text.replace('a: "1"', '80: "1"')), []);
  });

  test('may have anchors, but not one that contains itself or one that expands to millions of values', () => {
    const cyclic = stringify(application({ manifests: [configMap] })).replace(
      /^ {6}data:\n/m,
      '      data: &self\n        b: *self\n',
    );
    assert.deepEqual(messagesOf(cyclic), [
      'f:12:12 spec.manifests[0].data.b.b: *self refers to a value that contains it',
    ]);
    const bomb = Array.from(
      { length: 20 },
      (_, level) => `a${level}: &a${level} [${Array(10).fill(level === 0 ? '1' : `*a${level - 1}`)}]`,
    );
    const text = `${bomb.join('\n')}\n${stringify(application({ manifests: [configMap] }))}`;
    assert.match(messagesOf(text).join(), /expand to more than 100000 values/);
  });

  test('needs a name, a valid namespace, and the supported version', () => {
    const errors = messagesOf(
      stringify({ ...application({ manifests: [configMap] }, { namespace: 'A' }), apiVersion: 'weeder.dev/v2' }),
    );
    assert.deepEqual(
      errors.map((error) => error.replace(/^f:\d+:\d+ /, '')),
      [
        'apiVersion: expected weeder.dev/v1alpha1',
        'metadata.name: missing',
        'metadata.namespace: found "A", allowed are lower-case letters, digits and "-", at most 63, with a letter or digit at both ends',
      ],
    );
  });

  test('may omit the namespace of the application, and name it in the schema', () => {
    const entry = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: 'shop' },
      data: { a: null },
    };
    assert.deepEqual(messagesOf(stringify(application({ manifests: [configMap], observerSchema: [entry] }))), []);
    const elsewhere = application(
      { manifests: [configMap], observerSchema: [entry] },
      { name: 'web', namespace: 'other' },
    );
    assert.match(messagesOf(stringify(elsewhere)).join(), /which is not among the manifests/);
  });

  test('has each resource in one application only', () => {
    const at = (namespace: string, name: string) => application({ manifests: [configMap] }, { name, namespace });
    const texts = (...objects: object[]) => messagesOf(objects.map((each) => stringify(each)).join('---\n'));
    assert.deepEqual(texts(at('shop', 'a'), at('shop', 'b')), [
      'f:22:7 spec.manifests[0]: ConfigMap shop/settings is also a resource of the application shop/a in this file',
    ]);
    assert.deepEqual(texts(at('shop', 'a'), at('other', 'b')), []);
  });

  test('names a repeated key in a list of a built-in kind, and leaves other kinds to the cluster', async () => {
    const [containers] = repeatedCases;
    const own = { ...containers?.object, apiVersion: 'example.org/v1', kind: 'Rack' };
    const manifests = [configMap, containers?.object, own];
    const path = file('twice.yaml', stringify(application({ manifests })));
    const { code, stderr } = await sharedCli(['check', path]);
    assert.equal(code, 1);
    assert.equal(
      stderr,
      `${path}:19:11 spec.manifests[1].spec.containers: the key name="main" is at the positions 0, 2, and must be unique\n`,
    );
    const good = file(
      'once.yaml',
      stringify(application({ manifests: [configMap, repeatedCases.at(-1)?.object, own] })),
    );
    assert.equal((await sharedCli(['check', good])).code, 0);
  });

  test('with any content is read or refused in lines with positions, and nothing throws', async () => {
    /** Returns the number of lines. */
    const assertReadable = (text: string) => {
      const lines = messagesOf(text);
      for (const line of lines) {
        assert.match(line, /^(?:warning )?f:\d+:\d+ ?[^\n]*: [^\n]+$/);
        if (!text.includes('[object')) assert.doesNotMatch(line, /undefined|\[object/);
      }
      return lines.length;
    };
    await assertMeets({ errors: 15 }, 400, (met) =>
      fc.property(fc.array(byteEdit, { minLength: 1, maxLength: 8 }), (edits) => {
        met.errors += assertReadable(editedBytes(Buffer.from(nginx), edits).toString('utf8'));
      }),
    );
    const value = application({ manifests: [configMap], observerSchema: [{ ...configMap, data: { a: null } }] });
    await assertMeets({ errors: 200 }, 400, (met) =>
      fc.property(fc.array(valueEdit, { minLength: 1, maxLength: 5 }), (edits) => {
        met.errors += assertReadable(
          JSON.stringify({ ...Object(edited(value, edits)), kind: 'Application', apiVersion: 'weeder.dev/v1alpha1' }),
        );
      }),
    );
  });
});
