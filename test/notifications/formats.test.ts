import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import type { EventDraft } from '@weeder/kube-runtime/events';
import { formats } from '../../src/notifications/formats.ts';
import { occurrence } from '../support/notifications/notifying.ts';

const time = Date.UTC(2026, 0, 1);

function notificationOf(part: Partial<EventDraft> = {}, name = 'web-0') {
  return { id: `id-${name}`, time, occurrence: occurrence(part, name) };
}

const cloudEvent = {
  specversion: '1.0',
  id: 'id-web-0',
  source: 'prod-eu',
  type: 'dev.weeder.PodDeleted',
  subject: 'Pod/shop/web-0',
  time: '2026-01-01T00:00:00.000Z',
  datacontenttype: 'application/json',
  data: {
    reason: 'PodDeleted',
    type: 'Normal',
    action: 'Delete',
    note: 'Deleted.',
    regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'uid-of-web-0' },
  },
};

test('CloudEvents have the attributes that version 1.0 requires, in a batch and alone', () => {
  const { 'cloudevents-batch': batch, cloudevents: single } = formats;
  assert.equal(batch.contentType, 'application/cloudevents-batch+json; charset=utf-8');
  assert.equal(single.contentType, 'application/cloudevents+json; charset=utf-8');
  const bodies = batch.body([notificationOf(), notificationOf({ reason: 'DeletionFailed' }, 'web-1')], 'prod-eu');
  assert.deepEqual(arrayOf(bodies)[0], cloudEvent);
  assert.partialDeepStrictEqual(arrayOf(bodies)[1], { id: 'id-web-1', type: 'dev.weeder.DeletionFailed' });
  assert.deepEqual(single.body([notificationOf()], 'prod-eu'), cloudEvent);
});

test('the object by which an Event finds its own one is not sent', () => {
  const controlled = occurrence().regarding;
  const regarding = { ...controlled, name: 'web', controllerOf: controlled };
  assert.doesNotMatch(JSON.stringify(formats.cloudevents.body([notificationOf({ regarding })], 'a')), /controllerOf/);
});

test('a message of Slack has a line for each notification, without markup of the note', () => {
  const note = 'See <!channel> & <http://a|b>';
  assert.deepEqual(formats.slack.body([notificationOf({ note }), notificationOf({}, 'web-1')], 'a'), {
    text: '*PodDeleted* `Pod shop/web-0: See &lt;!channel&gt; &amp; &lt;http://a|b&gt;`\n*PodDeleted* `Pod shop/web-1: Deleted.`',
  });
});

/** What a container may end with: links, images, mentions, and ends of what it is put into. */
const markup = [
  '[renew](https://evil.example) ![i](https://evil.example/i.png) @channel <!here> <@U1>',
  'a` [renew](https://evil.example) `b',
  '``` [renew](https://evil.example) @all',
  'first\n\n[renew](https://evil.example)\r\n# @channel',
  '\\` @here \\',
  '`',
  '',
];

test('in Slack and Mattermost the whole text of a notification is one code span, in which nothing is markup', () => {
  for (const note of markup) {
    const { text } = objectOf(formats.slack.body([notificationOf({ note })], 'a'));
    // CommonMark 6.1: a code span ends at the next backtick, and backslashes do not escape in it. It ends with its
    // paragraph, and only an HTML tag or an autolink that begins before it would have precedence. Slack does the same
    // within a line.
    assert.match(String(text), /^\*PodDeleted\* `Pod shop\/web-0:[^`<>\n\r]*`$/, note);
    assert.doesNotMatch(String(text), /&(?!amp;|lt;|gt;)/);
  }
});

test('in Teams the texts of a notification are runs, which Teams does not read as Markdown, in one line', () => {
  for (const note of markup) {
    const body = objectOf(formats.teams.body([notificationOf({ note })], 'a'));
    const { content } = objectOf(arrayOf(body['attachments'])[0]);
    const [block] = arrayOf(objectOf(content)['body']).map(objectOf);
    assert.equal(block?.['type'], 'RichTextBlock');
    const runs = arrayOf(block?.['inlines']).map(objectOf);
    assert.deepEqual(
      runs.map(({ type }) => type),
      ['TextRun', 'TextRun'],
    );
    assert.equal(
      runs[1]?.['text'],
      ` Pod shop/web-0: ${note.trim().replace(/\s+/g, ' ')}`.trimEnd() + (note ? '' : ' '),
    );
    // Mentions need the property `msteams`, which the card does not have.
    assert.deepEqual(Object.keys(objectOf(content)), ['$schema', 'type', 'version', 'body']);
  }
});

test('a message of Teams is an Adaptive Card with a text for each notification, of less than 28 KB', () => {
  const { most, body } = formats.teams;
  const notifications = Array.from({ length: most }, (_, each) =>
    notificationOf({ note: '\\'.repeat(5_000) }, `${'n'.repeat(240)}-${each}`),
  );
  const message = body(notifications, 'a');
  assert.ok(JSON.stringify(message).length < 28_000);
  const [attachment] = arrayOf(objectOf(message)['attachments']).map(objectOf);
  assert.equal(attachment?.['contentType'], 'application/vnd.microsoft.card.adaptive');
  const card = objectOf(attachment?.['content']);
  assert.partialDeepStrictEqual(card, { type: 'AdaptiveCard', version: '1.4' });
  assert.equal(arrayOf(card['body']).length, most);
});

test('an alert has labels by which Alertmanager routes and groups, and begins when the Event occurred', () => {
  assert.deepEqual(formats.alertmanager.body([notificationOf({ type: 'Warning' })], 'prod-eu'), [
    {
      labels: {
        alertname: 'WeederPodDeleted',
        severity: 'warning',
        namespace: 'shop',
        kind: 'Pod',
        name: 'web-0',
        source: 'prod-eu',
      },
      annotations: { description: 'Deleted.' },
      startsAt: '2026-01-01T00:00:00.000Z',
    },
  ]);
  const usual = JSON.stringify(formats.alertmanager.body([notificationOf()], 'a'));
  assert.match(usual, /"severity":"info"/);
});
