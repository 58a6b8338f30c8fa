import type { TestContext } from 'node:test';
import type { Moment } from '@weeder/live-page';
import { hello, serviceView } from '@weeder/live-page/scenes';
import { openPage } from './browser.ts';

export const now = Date.UTC(2026, 10, 21, 14, 3, 7);

export function at(secondsAgo: number, what: string, about: string, more: Partial<Moment> = {}): Moment {
  return { t: now - secondsAgo * 1_000, what, words: what.replace('.', ' '), about, detail: '', ...more };
}

/** The timeline with these events. */
export async function timeline(
  t: TestContext,
  moments: readonly Moment[],
  options: Parameters<typeof openPage>[2] = {},
): ReturnType<typeof openPage> {
  const seen = await openPage(
    t,
    (server) => {
      server.greeting = [hello(now), { type: 'services', services: [serviceView('db')] }, { type: 'history', moments }];
    },
    { path: '/#timeline', timezoneId: 'UTC', ...options },
  );
  await seen.page.locator('.lane').first().waitFor({ state: 'attached' });
  return seen;
}

export const outageOfDemo = [
  at(30, 'service.ready', 'shop/etcd'),
  at(27, 'service.notReady', 'shop/etcd'),
  at(6, 'window.opened', 'shop/etcd'),
  at(3, 'pod.deleted', 'shop/etcd', { pod: 'shop/api-1' }),
];
