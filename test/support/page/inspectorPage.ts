import type { StatelyInspectionEvent } from '@statelyai/inspect';
import { createInspectorServer } from '@statelyai/inspect/server';
import { until } from '@weeder/kube-runtime/testing';
import { freePort } from '../api/freePort.ts';

/** The inspector's own server, and a client in place of its browser window that records the messages in order. */
export interface InspectorPage extends AsyncDisposable {
  readonly url: string;
  readonly received: StatelyInspectionEvent[];
}

/** Starts it without a browser, and without the page of stately.ai that the server would show in it. */
export async function inspectorPage(port?: number): Promise<InspectorPage> {
  const at = port ?? (await freePort());
  const server = createInspectorServer({ port: at, autoOpen: false });
  const url = `ws://127.0.0.1:${at}`;
  const received: StatelyInspectionEvent[] = [];
  let page = new WebSocket(url);
  const isOpen = () => {
    // The server does not report when it listens.
    if (page.readyState === WebSocket.CLOSED) page = new WebSocket(url);
    return page.readyState === WebSocket.OPEN;
  };
  await until('the inspector listens', isOpen);
  page.addEventListener('message', ({ data }) => received.push(JSON.parse(String(data))));
  return {
    url,
    received,
    async [Symbol.asyncDispose]() {
      server.stop();
      page.close();
      await until('the page is closed', () => page.readyState === WebSocket.CLOSED);
    },
  };
}
