import { BlockList, isIP } from 'node:net';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy, and where it is set. */
export interface ProxySetting {
  readonly url: string;
  /** For messages, such as `$HTTPS_PROXY`. */
  readonly source: string;
}

/**
 * The proxy that the environment sets for this server, by the rules of Go's net/http and so of kubectl: HTTPS_PROXY, or
 * HTTP_PROXY for plain http, unless NO_PROXY excludes the server. Each may be written in lower case. localhost and
 * loopback addresses have no proxy.
 */
export function environmentProxy(server: URL, env: Environment): ProxySetting | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const variable = env[name] ? name : name.toLowerCase();
  const value = env[variable];
  if (!value || isExcluded(server, env['NO_PROXY'] || env['no_proxy'] || '')) return undefined;
  return { url: value.includes('://') ? value : `http://${value}`, source: `$${variable}` };
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isExcluded(server: URL, noProxy: string): boolean {
  const host = withoutBrackets(server.hostname);
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  if (host === 'localhost' || contains(loopback, host)) return true;
  const entries = noProxy.toLowerCase().split(',');
  return entries.some((entry) => matches(entry.trim(), host, port));
}

/** An entry is `*`, a network, or a host or domain with an optional port. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === '' || entry === '*') return entry === '*';
  const [network = '', prefix] = entry.split('/');
  if (prefix !== undefined) return isIP(network) > 0 && contains(networkOf(network, Number(prefix)), host);
  const [, name = entry, itsPort] = isIP(entry) > 0 ? [] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
  if (itsPort !== undefined && itsPort !== port) return false;
  const domain = withoutBrackets(name).replace(/^\*\./, '.');
  if (isIP(domain) > 0) return contains(networkOf(domain, isIP(domain) === 4 ? 32 : 128), host);
  // `.example.com` has only what is below it.
  return host === domain || host.endsWith(domain.startsWith('.') ? domain : `.${domain}`);
}

function networkOf(address: string, prefix: number): BlockList {
  const network = new BlockList();
  const isValid = Number.isInteger(prefix) && prefix >= 0 && prefix <= (isIP(address) === 4 ? 32 : 128);
  if (isValid) network.addSubnet(address, prefix, familyOf(address));
  return network;
}

function contains(network: BlockList, host: string): boolean {
  return isIP(host) > 0 && network.check(host, familyOf(host));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|]$/g, '');
}
