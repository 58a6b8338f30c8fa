import { truncate } from '@weeder/kube-runtime/base';
import type { EventDraft } from '@weeder/kube-runtime/events';
import { printable } from '../base/printable.ts';
import type { ReceiverConfig } from '../config/schema/notificationsSchema.ts';

/** One occurrence of a Kubernetes Event, for receivers outside of the cluster. */
export interface Notification {
  /** The same each time that it is sent again. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly time: number;
  readonly occurrence: EventDraft;
}

/** How notifications are written for a receiver. */
interface Format {
  readonly contentType: string;
  /** The largest number of notifications in a request. */
  readonly most: number;
  /** The content of a request, which is sent as JSON; there is at least one notification. */
  body(notifications: readonly Notification[], source: string): unknown;
}

const largestBatch = 100;
/** A message of Teams has at most 28 KB; JSON may write a character with two. */
const linesOfMessage = 10;
const longestText = 1200;
const json = 'application/json';

export const formats: Readonly<Record<ReceiverConfig['format'], Format>> = {
  'cloudevents-batch': {
    contentType: 'application/cloudevents-batch+json; charset=utf-8',
    most: largestBatch,
    body: (notifications, source) => notifications.map((each) => cloudEvent(each, source)),
  },
  cloudevents: {
    contentType: 'application/cloudevents+json; charset=utf-8',
    most: 1,
    body: (notifications, source) => notifications.map((each) => cloudEvent(each, source))[0],
  },
  slack: {
    contentType: json,
    most: linesOfMessage,
    body: (notifications) => ({ text: notifications.map(slackLine).join('\n') }),
  },
  teams: {
    contentType: json,
    most: linesOfMessage,
    body: (notifications) => ({
      type: 'message',
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: card(notifications) }],
    }),
  },
  alertmanager: {
    contentType: json,
    most: largestBatch,
    body: (notifications, source) => notifications.map((each) => alert(each, source)),
  },
};

/** CloudEvents 1.0, in the JSON event format. */
function cloudEvent({ id, time, occurrence }: Notification, source: string): object {
  const { reason, type, action, note, regarding } = occurrence;
  const { apiVersion, kind, namespace, name, uid } = regarding;
  return {
    specversion: '1.0',
    id,
    source,
    type: `dev.weeder.${reason}`,
    subject: `${kind}/${namespace}/${name}`,
    time: new Date(time).toISOString(),
    datacontenttype: json,
    data: { reason, type, action, note, regarding: { apiVersion, kind, namespace, name, uid } },
  };
}

/** Slack reads these three characters as its markup, and a backtick ends a code span. */
const slackEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '`': 'ˋ' };

/**
 * In a code span nothing is a link, an image or a mention: neither for Slack nor for Mattermost, which reads Markdown and
 * would show an escaping backslash that Slack does not know.
 */
function slackLine(notification: Notification): string {
  const { reason, text } = wordsOf(notification);
  return `*${reason}* \`${text.replace(/[&<>`]/g, (character) => slackEntities[character] ?? '')}\``;
}

/** A TextRun is plain text, while a TextBlock is Markdown with links. */
function card(notifications: readonly Notification[]): object {
  const body = notifications.map((each) => {
    const { reason, text } = wordsOf(each);
    const runs = [
      { type: 'TextRun', text: reason, weight: 'bolder' },
      { type: 'TextRun', text: ` ${text}` },
    ];
    return { type: 'RichTextBlock', inlines: runs };
  });
  return { $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', type: 'AdaptiveCard', version: '1.4', body };
}

/** An alert of Alertmanager's API v2. It has no end: Alertmanager resolves it after its `resolve_timeout`. */
function alert({ time, occurrence }: Notification, source: string): object {
  const { reason, type, note, regarding } = occurrence;
  const { kind, namespace, name } = regarding;
  const severity = type === 'Warning' ? 'warning' : 'info';
  return {
    labels: { alertname: `Weeder${reason}`, severity, namespace, kind, name, source },
    annotations: { description: note },
    startsAt: new Date(time).toISOString(),
  };
}

/** What a person reads of a notification, in one line. */
function wordsOf({ occurrence: { reason, note, regarding } }: Notification) {
  const { kind, namespace, name } = regarding;
  const text = `${kind} ${namespace}/${name}: ${note.trim().replace(/\s+/g, ' ')}`;
  return { reason, text: truncate(printable(text), longestText) };
}
