import { request as httpRequest, type IncomingMessage } from 'node:http';
import { until } from '@weeder/kube-runtime/testing';
import type { PageMessage } from '@weeder/live-page';

/** An open page, with the messages that it received, in order. */
export type OpenedPage = Awaited<ReturnType<typeof openPage>>;

/** Opens the page's stream of messages. */
export async function openPage(url: string, search = '') {
  const request = httpRequest(new URL(`/events${search}`, url)).end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
  });
  const messages: PageMessage[] = [];
  let rest = '';
  response.setEncoding('utf8');
  response.on('error', () => {});
  response.on('data', (piece: string) => {
    const texts = (rest + piece).split('\n\n');
    rest = texts.pop() ?? '';
    for (const text of texts) {
      const data = /^event: \w+\ndata: (.*)$/.exec(text)?.[1];
      if (data !== undefined) messages.push(JSON.parse(data));
    }
  });
  return {
    status: response.statusCode,
    messages,
    /** Waits for a message of this type, and returns the first. */
    async received<T extends PageMessage['type']>(
      type: T,
      is: (message: Extract<PageMessage, { type: T }>) => boolean = () => true,
    ) {
      const hasType = (message: PageMessage): message is Extract<PageMessage, { type: T }> => message.type === type;
      await until(`the page receives ${type}`, () => messages.filter(hasType).some(is));
      const [firstMessage] = messages.filter(hasType).filter(is);
      if (firstMessage === undefined) throw new Error(type);
      return firstMessage;
    },
    /** Stops reading, like a hung browser. */
    hang: () => response.pause(),
    goOn: () => response.resume(),
    async [Symbol.asyncDispose]() {
      request.destroy();
    },
  };
}
