import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { isExecutable } from '../../support/isExecutable.ts';

/** The browser of CHROMIUM, or the `chromium` in PATH. Rejects with a sentence if there is none. */
export async function launch(): Promise<Browser> {
  // Inside a container there is no sandbox, and little shared memory.
  return chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

function findChromium(): string {
  const { CHROMIUM, PATH = '' } = process.env;
  const candidates = CHROMIUM === undefined ? PATH.split(delimiter).map((each) => join(each, 'chromium')) : [CHROMIUM];
  const executable = candidates.find(isExecutable);
  if (executable !== undefined) return executable;
  throw new Error(
    CHROMIUM === undefined
      ? 'There is no chromium in PATH: install the package chromium, or name one in CHROMIUM.'
      : `CHROMIUM is ${CHROMIUM}, which cannot be run: name a chromium, or unset it for the one in PATH.`,
  );
}
