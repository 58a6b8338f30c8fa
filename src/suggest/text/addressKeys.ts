/** The last word of keys and flags whose value is an address, and the commands that take one. */
const addressWords: ReadonlySet<string> = new Set([
  ...['host', 'hosts', 'hostname', 'addr', 'address', 'addresses', 'url', 'urls', 'uri', 'dsn'],
  ...['server', 'servers', 'endpoint', 'endpoints', 'broker', 'brokers', 'upstream'],
  ...['seed', 'seeds', 'nodes', 'contactpoints'],
  ...['ping', 'nslookup', 'dig'],
]);

/** These words mean an address only with another word before them. */
const lastOfTwo: readonly RegExp[] = [/ service$/, / contact points?$/, / (?:host|service) name$/];

/** The name by which a workload reports traces, not one that it calls. */
const ownName = /^(?:otel|dd|datadog|elastic apm|jaeger|newrelic|app|application|spring application) service( name)?$/;

/** Whether the value of this key (`DB_HOST`, `dbHost`, `db.host`, `--db-host`, `-h`) is an address. */
export function isAddressKey(key: string): boolean {
  if (key === '-h') return true;
  const words = wordsOf(key);
  if (addressWords.has(words.at(-1) ?? '')) return true;
  const text = words.join(' ');
  return lastOfTwo.some((ending) => ending.test(text)) && !ownName.test(text);
}

/** The last word of keys whose value names something else: the workload itself, or a thing within a service. */
const nameWords: ReadonlySet<string> = new Set([
  ...['name', 'id', 'app', 'instance', 'role', 'group', 'user', 'username', 'owner', 'namespace'],
  ...['service', 'component', 'module', 'job', 'label', 'tag', 'prefix', 'type', 'kind', 'mode', 'env', 'profile'],
  ...['db', 'database', 'schema', 'table', 'index', 'bucket', 'queue', 'topic', 'stream', 'channel', 'exchange'],
  ...['realm', 'client', 'audience', 'issuer', 'secret', 'password', 'token', 'key', 'path', 'file', 'dir', 'image'],
  ...['title', 'description', 'message', 'deployment', 'statefulset', 'cluster', 'certificate', 'cn', 'san', 'source'],
]);

/** Whether the value of this key is a name of something other than a service that is called. */
export function isNameKey(key: string): boolean {
  return nameWords.has(wordsOf(key).at(-1) ?? '');
}

function wordsOf(key: string): string[] {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** The key of the port that belongs to the key of a host: `DB_PORT` for `DB_HOST`, `db.port` for `db.host`. */
export function portKeyOf(key: string): string {
  return key.replace(/(?:host|hostname|addr|address|server|endpoint|service)$/i, (word) => {
    if (word === word.toUpperCase()) return 'PORT';
    return word === word.toLowerCase() ? 'port' : 'Port';
  });
}
