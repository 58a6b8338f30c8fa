import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { kubeconfig, tokenFor, unprivilegedUsers } from './credentials.ts';
import { type Answer, httpClient, type Method, type RequestOptions } from './http.ts';

const Coordinates = z.object({
  dir: z.string(),
  url: z.string(),
  ca: z.string(),
  secret: z.string(),
  etcdUrl: z.string(),
});

/** The data with which another process can use a running control plane. */
export type Coordinates = z.infer<typeof Coordinates>;

/** The variable with the path of the coordinates of the shared control plane (JSON). */
export const coordinatesVariable = 'WEEDER_TEST_CLUSTER';

export interface KubeconfigOptions {
  /** Another address, such as that of a proxy. The certificate is valid for every port of 127.0.0.1. */
  readonly server?: string;
  /** The CA of that address, if it has another certificate. */
  readonly ca?: string;
  /** A token other than that of the user, for example an invalid one. */
  readonly token?: string;
  readonly namespace?: string;
}

/** A running cluster. */
export type Cluster = ReturnType<typeof connect>;

/** Connects to a running control plane. Idle connections do not prevent the exit of the process. */
export function connect(coordinates: Coordinates) {
  const client = httpClient(coordinates.url, coordinates.ca);
  const tokenOf = (user: string): string => tokenFor(user, coordinates.secret);
  const admin = tokenOf('admin');
  let files = 0;
  const send = (method: Method, path: string, options: RequestOptions = {}): Promise<Answer> =>
    client.send(method, path, { token: admin, ...options });
  return {
    ...coordinates,
    tokenOf,
    /** Sends a request, as admin unless a token is given. Returns answers with any status. */
    send,
    /** Returns a user without permissions that no other test uses. */
    takeUser: () => takeUser(coordinates.dir),
    /** Returns the path of a kubeconfig for `admin` or one of the users `weeder-1` … `weeder-200`. */
    kubeconfigFor: (user: string, options: KubeconfigOptions = {}) => {
      const { server = coordinates.url, ca = coordinates.ca, token = tokenOf(user), namespace } = options;
      files += 1;
      const file = join(coordinates.dir, `kubeconfig-${user}-${process.pid}-${files}.yaml`);
      writeFileSync(file, kubeconfig(server, ca, user, token, namespace), { mode: 0o600 });
      return file;
    },
    /** Sends a request as admin, and returns the body of the answer. Throws if the status is 400 or higher. */
    api: async (method: Method, path: string, body?: unknown, contentType?: string) => {
      const answer = await send(method, path, { body, ...(contentType === undefined ? {} : { contentType }) });
      if (answer.status >= 400) throw new Error(`${method} ${path} → ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    /** Returns the lines of a watch or another long response, as admin unless a token is given. */
    lines: (path: string, options: RequestOptions = {}) => client.lines(path, { token: admin, ...options }),
    /**
     * Compacts etcd at its current revision, so that older ones are unavailable, and returns that revision. The watch
     * cache of a running API server still serves older revisions. It answers 410 after a restart, or with
     * `--watch-cache=false`.
     */
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

/** Takes a user for this process: only one of the test processes can create a folder. */
function takeUser(dir: string): string {
  const users = join(dir, 'taken-users');
  mkdirSync(users, { recursive: true });
  for (const user of unprivilegedUsers) {
    try {
      mkdirSync(join(users, user));
      return user;
    } catch {
      // Another test uses it.
    }
  }
  throw new Error(`All ${unprivilegedUsers.length} users without permissions are taken: raise their number.`);
}

/** Reads the file of `writeCoordinates`. */
export function readCoordinates(file: string): Coordinates {
  return Coordinates.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** Writes the coordinates of this control plane. Returns the path for `WEEDER_TEST_CLUSTER`. */
export function writeCoordinates(cluster: Coordinates): string {
  const file = join(cluster.dir, 'coordinates.json');
  writeFileSync(file, JSON.stringify(Coordinates.parse(cluster)), { mode: 0o600 });
  return file;
}
