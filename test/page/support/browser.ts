import { after, type TestContext } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { type PageServer, startPageServer } from '../../support/page/pageServer.ts';
import { launch } from './chromium.ts';

/** A page in a browser, and its console output. */
export type Seen = Awaited<ReturnType<typeof visit>>;

let browser: Promise<Browser> | undefined;
after(async () => (await browser)?.close());

type PageOptions = BrowserContextOptions & { readonly path?: string };

/** Opens an address in a window that shares nothing with the others. Closed with the test. */
export async function visit(t: TestContext, url: string, options: BrowserContextOptions = {}) {
  browser ??= launch();
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 800 }, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  const consoleLines: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => consoleLines.push(message.text()));
  page.on('pageerror', (error) => consoleLines.push(String(error)));
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  await page.goto(url);
  return {
    page,
    /** The console output, including uncaught errors and violations of the policy. */
    consoleLines,
    /** The origins of its requests: `http://127.0.0.1:9645`. */
    origins,
  };
}

/** Opens the page on a new server, which `prepare` has configured. */
export async function openPage(
  t: TestContext,
  prepare: (server: PageServer) => void,
  { path = '/#services', ...options }: PageOptions = {},
): Promise<Seen & { readonly server: PageServer }> {
  const server = await startPageServer();
  t.after(() => server[Symbol.asyncDispose]());
  prepare(server);
  return { ...(await visit(t, `${server.url}${path}`, options)), server };
}
