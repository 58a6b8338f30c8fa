import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { outageScene } from '../../../support/scene/outageScene.ts';
import { indexedPng } from './indexedPng.ts';
import { terminalPicture } from './terminalPicture.ts';

const root = join(import.meta.dirname, '../../../..');
const run = promisify(execFile);

/** The pictures of the README: the overview during an outage, and the demo in a terminal. */
export async function takeReadmePictures(browser: Browser, folder: string): Promise<void> {
  const [overview, demo] = await Promise.all([overviewPicture(browser), demoPicture()]);
  writeFileSync(join(folder, 'overview.png'), overview);
  writeFileSync(join(folder, 'demo.svg'), demo);
}

/** In a size that is legible in the README, and sharp. */
async function overviewPicture(browser: Browser): Promise<Buffer> {
  await using scene = await outageScene();
  const viewport = { width: 1000, height: 640 };
  const look = { colorScheme: 'light', reducedMotion: 'reduce', timezoneId: 'UTC', deviceScaleFactor: 1.5 } as const;
  const page = await browser.newPage({ viewport, ...look });
  await page.goto(scene.served.url);
  await page.locator('[data-connection=live]').waitFor();
  await page.locator('#overview-problems li').nth(20).waitFor();
  const png = await page.screenshot({ animations: 'disabled' });
  await page.close();
  return indexedPng(png);
}

async function demoPicture(): Promise<string> {
  const env = { ...process.env, FORCE_COLOR: '1' };
  const { stdout } = await run(process.execPath, ['src/cli/weeder.ts', 'demo'], { cwd: root, env });
  return terminalPicture('npm run demo', stdout);
}
