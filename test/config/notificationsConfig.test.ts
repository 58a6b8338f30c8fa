import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFieldErrors } from '../../src/base/fieldError.ts';
import { compareConfigs } from '../../src/config/compare.ts';
import { type Config, isNeutral } from '../../src/config/config.ts';
import { storedConfigOf } from '../../src/config/configText.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { eventReasons } from '../support/docs/eventsTable.ts';

function configOf(text: string): Config {
  const result = parseConfig(text, 'f');
  return result.ok ? result.value : assert.fail(formatFieldErrors(result.error));
}

function errorsIn(text: string): string {
  const result = parseConfig(text, 'f');
  return result.ok ? '' : formatFieldErrors(result.error);
}

const withOps = (keys: string) => `notifications: {ops: {${keys}}}`;

test('a receiver needs only an address, and gets batches of CloudEvents of all Events', () => {
  assert.equal(configOf('{}').notifications, undefined);
  assert.deepEqual(configOf(withOps('url: "https://a.test/b"')).notifications, {
    ops: { url: 'https://a.test/b', format: 'cloudevents-batch', source: 'weeder' },
  });
  assert.ok(isNeutral(configOf(withOps('url: "https://a.test/b"'))));
});

test('every reason of an Event is a type, and so are Warning and Normal', () => {
  const types = [...eventReasons(), 'Warning', 'Normal'];
  assert.ok(types.length > 40);
  const { notifications } = configOf(withOps(`urlFile: /f, types: ${JSON.stringify(types)}`));
  assert.deepEqual(notifications?.['ops']?.types, types);
});

test('an unknown type is one sentence with the nearest one', () => {
  assert.equal(
    errorsIn(withOps('urlFile: /f, types: [PodDeletd]')).trim(),
    'f:1:44 notifications.ops.types[0]: found "PodDeletd", which is no reason of weeder\'s Events, and neither Warning nor Normal; did you mean "PodDeleted"?',
  );
  assert.match(errorsIn(withOps('urlFile: /f, types: [Elephant]')), /; docs\/reference\/events\.md lists them/);
  assert.match(errorsIn(withOps('urlFile: /f, types: [5]')), /found 5, /);
  assert.match(errorsIn(withOps('urlFile: /f, types: []')), /this list is empty; name a reason/);
});

test('errors of an address do not quote it, because it may be a secret', () => {
  for (const [url, message] of [
    ['ftp://a.test/s3cret', 'not an http or https address'],
    ['hooks.test/s3cret', 'not an http or https address'],
    ['https://u:s3cret@a.test', 'has a user or a password; give a token by tokenFile'],
  ] as const) {
    const errors = errorsIn(withOps(`url: "${url}"`));
    assert.match(errors, new RegExp(`notifications\\.ops\\.url: ${message}`));
    assert.doesNotMatch(errors, /s3cret/);
  }
});

test('other errors name their place', () => {
  assert.match(errorsIn(withOps('')), /notifications\.ops: needs either `url` or `urlFile`/);
  assert.match(errorsIn(withOps('url: "http://a", urlFile: /f')), /needs either `url` or `urlFile`/);
  assert.match(errorsIn(withOps('url: "http://a", format: cloudevent')), /did you mean "cloudevents"\?/);
  assert.match(errorsIn(withOps('url: "http://a", tokenFile: ""')), /tokenFile: found "", expected the path of a file/);
  assert.match(errorsIn(withOps('url: "http://a", namespaces: []')), /this list is empty; name a namespace/);
  assert.match(errorsIn(withOps('url: "http://a", source: "a b"')), /source: allowed are up to 100 letters/);
  assert.match(errorsIn(withOps('url: "http://a", urls: b')), /unknown key; did you mean "url"\?/);
  assert.match(errorsIn('notifications: {Ops: {url: "http://a"}}'), /notifications\.Ops: this name is not allowed/);
  assert.match(errorsIn('notifications: [{url: "http://a"}]'), /notifications: found a list, expected a mapping/);
});

test('a change of the section is reported, without its content', () => {
  const [none, one, other] = ['{}', withOps('url: "http://a"'), withOps('url: "http://b"')].map(configOf);
  assert.ok(none && one && other);
  assert.equal(compareConfigs(none, one).notifications, 'added');
  assert.equal(compareConfigs(one, other).notifications, 'changed');
  assert.equal(compareConfigs(one, none).notifications, 'removed');
  assert.equal(compareConfigs(one, structuredClone(one)).notifications, undefined);
});

test('a recording has no receivers, so that a replay sends nothing', () => {
  const config = configOf(withOps('url: "https://a.test/s3cret"'));
  assert.doesNotMatch(JSON.stringify(storedConfigOf(config)), /ops|s3cret|notifications/);
});
