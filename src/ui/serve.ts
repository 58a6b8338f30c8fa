import { ok, type Result } from '../base/errors.ts';
import { type BindAddress, type Listening, listen } from '../base/http.ts';
import { isLoopbackHost, type PageListenerOptions, pageListener } from './pageListener.ts';

/** The live page, and where it can be opened. */
export interface ServedPage extends Listening {
  readonly url: string;
}

/** Serves the live page. Unlike the other addresses, one without a host is loopback: the page shows names of pods. */
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

/** An address that stands for all of them is none to open. */
function urlHost(name: string): string {
  return name === '0.0.0.0' || name === '[::]' ? 'localhost' : name;
}
