import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { checkout } from './cache.ts';

/** The folder of the releases of one test process. */
export const folder = mkdtempSync(join(tmpdir(), 'weeder-release-'));
after(() => rmSync(folder, { recursive: true }));

/** Runs `npm run release` as a trial. */
export function release(...flags: readonly string[]) {
  const args = ['scripts/release/release.ts', '--draft', '--without-image', ...flags];
  return spawnSync(process.execPath, args, { cwd: checkout, encoding: 'utf8' });
}

export function keyFile(type: 'ed25519' | 'x25519'): string {
  // An overload of Node's types takes each type alone.
  const { privateKey } = type === 'ed25519' ? generateKeyPairSync(type) : generateKeyPairSync(type);
  const path = join(folder, `${type}.pem`);
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return path;
}

let made: ReturnType<typeof makeRelease> | undefined;

/** A release without a publisher, signed with a key: the same one for all tests of a process. */
export function signedRelease(): ReturnType<typeof makeRelease> {
  made ??= makeRelease();
  return made;
}

function makeRelease() {
  const output = join(folder, 'signed');
  const key = keyFile('ed25519');
  const { stderr } = release('--output', output, '--sign', key);
  return { output, key, stderr };
}
