import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Users without permissions. A test takes one, and grants it what it needs. */
export const unprivilegedUsers: readonly string[] = Array.from({ length: 200 }, (_, index) => `weeder-${index + 1}`);

/** Returns the token of `user` in a control plane with this secret. */
export function tokenFor(user: string, secret: string): string {
  return `${user}.${secret}`;
}

/** Writes the token file and service-account keys of the API server into `dir`. Returns the secret of the tokens. */
export function writeCredentials(dir: string): {
  secret: string;
  tokens: string;
  privateKey: string;
  publicKey: string;
} {
  const secret = randomBytes(16).toString('hex');
  const files = {
    tokens: join(dir, 'tokens.csv'),
    privateKey: join(dir, 'service-accounts.key'),
    publicKey: join(dir, 'service-accounts.pub'),
  };
  const rows = unprivilegedUsers.map((user) => `${tokenFor(user, secret)},${user},${user}`);
  write(files.tokens, [`${tokenFor('admin', secret)},admin,admin,system:masters`, ...rows, ''].join('\n'));
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  write(files.privateKey, keys.privateKey.export({ type: 'sec1', format: 'pem' }));
  write(files.publicKey, keys.publicKey.export({ type: 'spki', format: 'pem' }));
  return { secret, ...files };
}

/** Returns a kubeconfig with one context, as JSON. */
export function kubeconfig(server: string, ca: string, user: string, token: string, namespace?: string): string {
  const cluster = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const context = { cluster: 'weeder-test', user, ...(namespace === undefined ? {} : { namespace }) };
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'weeder-test', cluster }],
      users: [{ name: user, user: { token } }],
      contexts: [{ name: 'weeder-test', context }],
      'current-context': 'weeder-test',
    },
    null,
    2,
  );
}

function write(file: string, content: string | Buffer): void {
  writeFileSync(file, content, { mode: 0o600 });
}
