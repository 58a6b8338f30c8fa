import type { Overview } from '@weeder/live-page';

/** The overview that this page serves. */
export async function overviewOf(url: string): Promise<Overview> {
  const overview: Overview = JSON.parse(await (await fetch(new URL('/overview', url))).text());
  return overview;
}
