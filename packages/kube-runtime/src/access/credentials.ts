import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AgentOptions, RequestOptions } from 'node:https';
import type { Clock } from '../base/clock.ts';
import { failed, messageOf, ok, type Result } from '../base/result.ts';
import type { ClusterAccess } from './clusterAccess.ts';
import { type ExecCredential, runExecPlugin } from './execCredential.ts';

/** What authenticates a request. It is the same object until something has been read again. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: AgentOptions;
  /** Changes when the connections have to be recreated. */
  readonly tlsFingerprint: string;
}

interface CredentialSource {
  /** Fails with a clause, not a sentence. Calls are cheap, because everything is cached. */
  current(): Promise<Result<Credentials, string>>;
  /** The server rejected these credentials: the next call reads them again. */
  invalidate(rejected: Credentials): void;
}

/** The interval at which files are checked again. client-go reads tokens every minute; certificates rotate slowly. */
const rereadMs = 30_000;
/** The minimum interval between two runs of a plugin, however often its credential is rejected. */
const shortestExecPauseMs = 5_000;
/** How long before its expiry an exec credential is renewed. */
const execMarginMs = 20_000;

interface Cached {
  readonly credentials: Credentials;
  readonly readAt: number;
}

/** Reads and caches the credentials for the cluster. Old credentials stay in use while new ones are unavailable. */
export function credentialSource(access: ClusterAccess, clock: Clock): CredentialSource {
  const plugin = execSource(access, clock);
  let cached: Cached | undefined;
  let isRejected = false;
  let underWay: Promise<Result<Credentials, string>> | undefined;

  function isFresh({ readAt }: Cached): boolean {
    return !isRejected && clock.monotonic() - readAt < rereadMs && plugin?.isDue() !== true;
  }

  async function refresh(): Promise<Result<Credentials, string>> {
    const read = await readAll();
    if (read.ok) {
      cached = { credentials: read.value, readAt: clock.monotonic() };
      isRejected = false;
      return read;
    }
    return cached !== undefined && !isRejected ? ok(cached.credentials) : read;
  }

  async function readAll(): Promise<Result<Credentials, string>> {
    const exec = await plugin?.current(isRejected);
    if (exec !== undefined && !exec.ok) return exec;
    try {
      return ok(await assemble(access, exec?.value));
    } catch (error) {
      return failed(messageOf(error));
    }
  }

  return {
    async current() {
      if (cached !== undefined && isFresh(cached)) return ok(cached.credentials);
      underWay ??= refresh().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
    invalidate(rejected) {
      if (cached?.credentials === rejected) isRejected = true;
    },
  };
}

async function assemble(access: ClusterAccess, exec: ExecCredential | undefined): Promise<Credentials> {
  const options: RequestOptions = {};
  await access.kubeConfig.applyToHTTPSOptions(options);
  const tls = tlsOptions(options, exec);
  const token = exec?.token ?? (access.tokenFile ? readToken(access.tokenFile) : access.token);
  const headers: Record<string, string | string[]> = { ...access.impersonation };
  const given = options.headers;
  if (given !== undefined && !Array.isArray(given)) {
    for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = headerText(value);
  }
  if (options.auth) headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  if (token) headers['authorization'] = `Bearer ${token.trim()}`;
  return { headers, tls, tlsFingerprint: fingerprint(tls) };
}

function tlsOptions(
  { ca, cert, key, rejectUnauthorized, servername }: RequestOptions,
  exec: ExecCredential | undefined,
) {
  const options: AgentOptions = {
    ca,
    cert: exec?.clientCertificate ?? cert,
    key: exec?.clientCertificate === undefined ? key : exec.clientKey,
  };
  if (rejectUnauthorized !== undefined) options.rejectUnauthorized = rejectUnauthorized;
  if (servername !== undefined) options.servername = servername;
  return options;
}

function headerText(value: unknown): string | string[] {
  return Array.isArray(value) ? value.map(String) : String(value);
}

function readToken(path: string): string {
  const token = readFileSync(path, 'utf8').trim();
  if (token === '') throw new Error(`the token file ${path} is empty`);
  return token;
}

function fingerprint({ ca, cert, key }: AgentOptions): string {
  const hash = createHash('sha256');
  for (const part of [ca, cert, key]) hash.update('\0').update(part === undefined ? '' : String(part));
  return hash.digest('base64');
}

interface ExecSource {
  /** Whether the credential has expired or will expire soon. */
  isDue(): boolean;
  current(isRejected: boolean): Promise<Result<ExecCredential, string>>;
}

function execSource({ exec, cluster }: ClusterAccess, clock: Clock): ExecSource | undefined {
  if (exec === undefined) return undefined;
  let credential: ExecCredential | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let lastProblem = '';

  const left = () => (credential?.expiresAt ?? Number.POSITIVE_INFINITY) - clock.now();
  const mayRun = () => clock.monotonic() - triedAt >= shortestExecPauseMs;

  return {
    isDue: () => left() < execMarginMs && mayRun(),
    async current(isRejected) {
      const isUsable = credential !== undefined && !isRejected && left() >= execMarginMs;
      if (!isUsable && mayRun()) {
        const ran = await runExecPlugin(exec, cluster, clock);
        triedAt = clock.monotonic();
        if (ran.ok) credential = ran.value;
        else lastProblem = ran.error;
      }
      return credential !== undefined && left() > 0
        ? ok(credential)
        : failed(lastProblem || 'the credential has expired');
    },
  };
}
