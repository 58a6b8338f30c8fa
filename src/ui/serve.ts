import { ok, type Result } from '../base/errors.ts';
import { type BindAddress, type Listening, listen } from '../base/http.ts';
import { isLoopbackHost, type PageListenerOptions, pageListener } from './pageListener.ts';

/** The live page, and its URL. */
export interface ServedPage extends Listening {
  readonly url: string;
}

/**
 * Serves the live page. Unlike for the other servers, an address without a host is loopback, because the page shows the
 * names of pods.
 */
export async function serveLivePage(
  address: BindAddress,
  options: Omit<PageListenerOptions, 'isLoopback'>,
): Promise<Result<ServedPage>> {
  const { host = '127.0.0.1', port } = address;
  const isLoopback = isLoopbackHost(host);
  const listening = await listen('--ui-bind-addr', { host, port }, pageListener({ ...options, isLoopback }));
  if (!listening.ok) return listening;
  const name = host.includes(':') ? `[${host}]` : host;
  return ok({ ...listening.value, url: `http://${isLoopback ? name : urlHost(name)}:${listening.value.port}/` });
}

/** A wildcard address cannot be opened, so the URL has another host. */
function urlHost(name: string): string {
  return name === '0.0.0.0' || name === '[::]' ? 'localhost' : name;
}
