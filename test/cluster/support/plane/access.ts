import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { kubeconfig, tokenFor, unprivilegedUsers } from './credentials.ts';
import { type Answer, type HttpClient, httpClient, type Method, type RequestOptions } from './http.ts';

const Coordinates = z.object({
  dir: z.string(),
  url: z.string(),
  ca: z.string(),
  secret: z.string(),
  etcdUrl: z.string(),
});

/** Everything that another process needs to use a running control plane. */
export type Coordinates = z.infer<typeof Coordinates>;

/** The variable that names the file with the coordinates of the shared control plane (JSON) for test processes. */
export const coordinatesVariable = 'WEEDER_TEST_CLUSTER';

export interface KubeconfigOptions {
  /** Another address for the same server, such as a proxy's: its certificate is for 127.0.0.1, whatever the port. */
  readonly server?: string;
  /** The certificate that it is verified by, if it has its own. */
  readonly ca?: string;
  /** Another token than the user's own, for example a wrong one. */
  readonly token?: string;
  readonly namespace?: string;
}

/** A running cluster as a test sees it. */
export interface Cluster extends Coordinates {
  /** The path of a kubeconfig (the CA is verified) for `admin` or one of the users `weeder-1` … `weeder-200`. */
  kubeconfigFor(user: string, options?: KubeconfigOptions): string;
  tokenOf(user: string): string;
  /** A user without permissions that no other test uses. */
  takeUser(): string;
  /** One request, as admin unless a token is given; any status is an answer. */
  send(method: Method, path: string, options?: RequestOptions): Promise<Answer>;
  /** One request as admin; the body of the answer. Throws a sentence when the status is 400 or higher. */
  api(method: Method, path: string, body?: unknown, contentType?: string): Promise<unknown>;
  /** A watch or another long response as admin (or as the token says), line by line. */
  lines: HttpClient['lines'];
  /**
   * Compacts etcd at its current revision, so that older ones are unavailable; returns that revision. A running server
   * still serves old revisions from its watch cache: to see 410, restart it too, or start it with
   * `--watch-cache=false`.
   */
  compactEtcd(): Promise<number>;
}

/** Connects to a running control plane. Nothing has to be closed: idle connections keep no process alive. */
export function connect(coordinates: Coordinates): Cluster {
  const client = httpClient(coordinates.url, coordinates.ca);
  const tokenOf = (user: string): string => tokenFor(user, coordinates.secret);
  const admin = tokenOf('admin');
  let files = 0;
  const send = (method: Method, path: string, options: RequestOptions = {}): Promise<Answer> =>
    client.send(method, path, { token: admin, ...options });
  return {
    ...coordinates,
    tokenOf,
    send,
    takeUser: () => takeUser(coordinates.dir),
    kubeconfigFor: (user, options = {}) => {
      const { server = coordinates.url, ca = coordinates.ca, token = tokenOf(user), namespace } = options;
      files += 1;
      const file = join(coordinates.dir, `kubeconfig-${user}-${process.pid}-${files}.yaml`);
      writeFileSync(file, kubeconfig(server, ca, user, token, namespace), { mode: 0o600 });
      return file;
    },
    api: async (method, path, body, contentType) => {
      const answer = await send(method, path, { body, ...(contentType === undefined ? {} : { contentType }) });
      if (answer.status >= 400) throw new Error(`${method} ${path} → ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    lines: (path, options = {}) => client.lines(path, { token: admin, ...options }),
    compactEtcd: () => compact(coordinates.etcdUrl),
  };
}

const RangeAnswer = z.object({ header: z.object({ revision: z.coerce.number() }) });

async function compact(etcdUrl: string): Promise<number> {
  const etcd = httpClient(etcdUrl);
  try {
    const key = Buffer.from('compact').toString('base64');
    const range = await etcd.send('POST', '/v3/kv/range', { body: { key } });
    const { revision } = RangeAnswer.parse(range.body).header;
    const answer = await etcd.send('POST', '/v3/kv/compaction', { body: { revision, physical: true } });
    if (answer.status !== 200) throw new Error(`etcd refused to compact: ${JSON.stringify(answer.body)}`);
    return revision;
  } finally {
    await etcd.close();
  }
}

/** Test files run as separate processes: only one of them succeeds in making a folder. */
function takeUser(dir: string): string {
  const users = join(dir, 'taken-users');
  mkdirSync(users, { recursive: true });
  for (const user of unprivilegedUsers) {
    try {
      mkdirSync(join(users, user));
      return user;
    } catch {
      // Another test has it.
    }
  }
  throw new Error(`All ${unprivilegedUsers.length} users without permissions are taken: raise their number.`);
}

/** Reads coordinates that `writeCoordinates` wrote. */
export function readCoordinates(file: string): Coordinates {
  return Coordinates.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** Writes what another process needs to use this control plane; returns the path for `WEEDER_TEST_CLUSTER`. */
export function writeCoordinates(cluster: Coordinates): string {
  const file = join(cluster.dir, 'coordinates.json');
  writeFileSync(file, JSON.stringify(Coordinates.parse(cluster)), { mode: 0o600 });
  return file;
}
