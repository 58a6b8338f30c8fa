/** The last word of keys and flags whose value is an address, and the commands that take one. */
const addressWords: ReadonlySet<string> = new Set([
  ...['host', 'hosts', 'hostname', 'addr', 'address', 'addresses', 'url', 'urls', 'uri', 'dsn'],
  ...['server', 'servers', 'endpoint', 'endpoints', 'broker', 'brokers', 'upstream'],
  ...['ping', 'nslookup', 'dig'],
]);

/** Whether the value of this key (`DB_HOST`, `dbHost`, `db.host`, `--db-host`, `-h`) is an address. */
export function isAddressKey(key: string): boolean {
  if (key === '-h') return true;
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return addressWords.has(words.at(-1) ?? '');
}

/** The key of the port that belongs to the key of a host: `DB_PORT` for `DB_HOST`, `db.port` for `db.host`. */
export function portKeyOf(key: string): string {
  return key.replace(/(?:host|hostname|addr|address|server|endpoint)$/i, (word) => {
    if (word === word.toUpperCase()) return 'PORT';
    return word === word.toLowerCase() ? 'port' : 'Port';
  });
}
