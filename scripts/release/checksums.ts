import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { orProblem, Problem } from '../problem.ts';

/** Returns SHA256SUMS, which `sha256sum --check` reads, and with a key its signature, which openssl verifies. */
export function checksumFiles(files: ReadonlyMap<string, Buffer>, key: KeyObject | undefined): Map<string, Buffer> {
  const lines = [...files].map(([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
  const sums = Buffer.from(lines.join(''));
  const signature = key === undefined ? [] : [['SHA256SUMS.sig', sign(null, sums, key)] as const];
  return new Map([['SHA256SUMS', sums], ...signature]);
}

export function readKey(path: string): KeyObject {
  const advice = '--sign needs a private Ed25519 key in PEM: openssl genpkey -algorithm ed25519 -out key.pem.';
  const key = orProblem(
    () => createPrivateKey(readFileSync(path)),
    (message) => `${path} is not read (${message}): ${advice}`,
  );
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new Problem(`${path} is a key of the type ${key.asymmetricKeyType}: ${advice}`);
}
