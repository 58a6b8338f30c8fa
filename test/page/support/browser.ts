import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type PageServer, startPageServer } from '../../support/pageServer.ts';

export interface Opened {
  readonly page: Page;
  readonly server: PageServer;
  /** What was written to the console, thrown, or refused by the policy. */
  readonly said: readonly string[];
}

/** The browser of CHROMIUM, or the `chromium` in PATH. */
export function launch(): Promise<Browser> {
  // Inside a container there is neither a sandbox to be had nor much shared memory.
  return chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

function findChromium(): string {
  const { CHROMIUM, PATH = '' } = process.env;
  const candidates = CHROMIUM === undefined ? PATH.split(delimiter).map((each) => join(each, 'chromium')) : [CHROMIUM];
  const found = candidates.find(isExecutable);
  if (found === undefined) {
    throw new Error('there is no chromium in PATH: install the package chromium, or name one in CHROMIUM.');
  }
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // It is looked for elsewhere, and the caller says when it is nowhere.
    return false;
  }
}

/** The page in a fresh browser of its own, on a server of its own, told `prepare`d things. Closed with the test. */
export async function openPage(
  t: TestContext,
  prepare: (server: PageServer) => void,
  { path = '/', ...options }: BrowserContextOptions & { readonly path?: string } = {},
): Promise<Opened> {
  const server = await startPageServer();
  t.after(() => server[Symbol.asyncDispose]());
  const browser = await launch();
  t.after(() => browser.close());
  prepare(server);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  await page.goto(`${server.url}${path}`);
  return { page, server, said };
}
