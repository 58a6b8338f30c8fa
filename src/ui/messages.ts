import type { PageMessage } from '@weeder/live-page';

/** A message as a server-sent event; JSON text contains no line breaks. */
export function eventText(message: PageMessage): string {
  return `event: ${message.type}\ndata: ${JSON.stringify(message)}\n\n`;
}

/** A message whose content is already JSON text. */
export function jsonEvent(type: 'service' | 'moment', json: string): string {
  return `event: ${type}\ndata: {"type":"${type}","${type}":${json}}\n\n`;
}

/** Characters: about the size of a socket's buffer. */
const partSize = 32_768;

/** A message with a long list, in parts of about the size of a socket's buffer. */
export function* listParts(type: 'services' | 'history', texts: Iterable<string>): Generator<string> {
  let part = `event: ${type}\ndata: {"type":"${type}","${type === 'history' ? 'moments' : type}":[`;
  let separator = '';
  for (const text of texts) {
    part += separator + text;
    separator = ',';
    if (part.length < partSize) continue;
    yield part;
    part = '';
  }
  yield `${part}]}\n\n`;
}
