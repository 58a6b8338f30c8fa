import assert from 'node:assert/strict';
import { body, boundNode, lease, type NamespaceTest, names, pod, refused, type TestNamespace } from '../target.ts';

function listBy(at: TestNamespace, parameter: string, selector: string, plural = 'leases') {
  return at.send('GET', `${at.path(plural)}?${parameter}=${encodeURIComponent(selector)}`);
}

/** Selectors, and their matches of the leases none, empty (x=''), a (x=a), b (x=b, k.io/y=1), number (n=5). */
const byLabels: readonly (readonly [string, readonly string[]])[] = [
  ['', ['a', 'b', 'empty', 'none', 'number']],
  ['x', ['a', 'b', 'empty']],
  ['!x', ['none', 'number']],
  ['x=a', ['a']],
  ['x==a', ['a']],
  ['x=', ['empty']],
  ['x', ['a', 'b', 'empty']],
  ['x!=a', ['b', 'empty', 'none', 'number']],
  ['x!=', ['a', 'b', 'none', 'number']],
  ['x in (a,b)', ['a', 'b']],
  ['x in (a, b)', ['a', 'b']],
  ['x in (a,)', ['a', 'empty']],
  ['x in ()', ['empty']],
  ['x in (,b)', ['b', 'empty']],
  ['x notin (a)', ['b', 'empty', 'none', 'number']],
  ['x notin (a,b)', ['empty', 'none', 'number']],
  ['x,k.io/y', ['b']],
  ['x=b,k.io/y in (1,2),!z', ['b']],
  ['x=a,x=b', []],
  [' x = a ', ['a']],
  ['in in (in)', []],
  ['n>4', ['number']],
  ['n<5', []],
];

const badLabels: readonly (readonly [string, string])[] = [
  ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['a===', "unable to parse requirement: found '=', expected: identifier"],
  ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  [',', "found ',', expected: !, identifier, or 'end of string'"],
  ['a=b!', "found '!', expected: ',' or 'end of string'"],
  ['a,', "found '', expected: identifier after ','"],
  ['=a', "found '=', expected: !, identifier, or 'end of string'"],
  ['a in b', "unable to parse requirement: found 'b' expected: '('"],
  ['!', "unable to parse requirement: found '', expected: identifier"],
];

/** Label and field selectors. */
export function testSelectors(test: NamespaceTest): void {
  test('label selectors match the same objects as on any Kubernetes API server', async (at) => {
    const leases = { none: {}, empty: { x: '' }, a: { x: 'a' }, b: { x: 'b', 'k.io/y': '1' }, number: { n: '5' } };
    for (const [name, labels] of Object.entries(leases)) await at.create('leases', lease(name, labels));
    for (const [selector, matches] of byLabels) {
      assert.deepEqual(names(body(await listBy(at, 'labelSelector', selector), 200)), matches, selector);
    }
  });

  test("an invalid label selector is refused with the API's message", async (at) => {
    for (const [selector, message] of badLabels) {
      const status = refused(await listBy(at, 'labelSelector', selector), 400, 'BadRequest');
      assert.equal(status['message'], message, selector);
    }
    for (const selector of ['-a', 'a=-b', 'a/b/c', 'a in (b c)', 'x>y', 'n gt 4']) {
      refused(await listBy(at, 'labelSelector', selector), 400, 'BadRequest');
    }
  });

  test('field selectors support names, and for pods their node and phase', async (at) => {
    await at.create('pods', pod('a', { spec: { nodeName: boundNode } }));
    await at.create('pods', pod('b'));
    await at.patch('pods', 'b/status', { status: { phase: 'Running' } });
    const expected: readonly (readonly [string, readonly string[]])[] = [
      ['metadata.name=a', ['a']],
      ['metadata.name!=a', ['b']],
      [`metadata.namespace=${at.name}`, ['a', 'b']],
      [`spec.nodeName=${boundNode}`, ['a']],
      ['spec.nodeName=', ['b']],
      ['status.phase==Running', ['b']],
      ['status.phase!=Running,metadata.name=b', []],
      ['spec.restartPolicy=Always,', ['a', 'b']],
    ];
    for (const [selector, matches] of expected) {
      assert.deepEqual(names(body(await listBy(at, 'fieldSelector', selector, 'pods'), 200)), matches, selector);
    }
  });

  test('unsupported fields in a selector are refused', async (at) => {
    const pods = refused(await listBy(at, 'fieldSelector', 'spec.dnsPolicy=x', 'pods'), 400, 'BadRequest');
    assert.equal(pods['message'], 'field label not supported: spec.dnsPolicy');
    const leases = refused(await listBy(at, 'fieldSelector', 'spec.holderIdentity=x'), 400, 'BadRequest');
    const message = '"spec.holderIdentity" is not a known field selector: only "metadata.name", "metadata.namespace"';
    assert.equal(leases['message'], message);
    const broken = refused(await listBy(at, 'fieldSelector', 'metadata.name'), 400, 'BadRequest');
    assert.equal(broken['message'], "invalid selector: 'metadata.name'; can't understand 'metadata.name'");
  });
}
