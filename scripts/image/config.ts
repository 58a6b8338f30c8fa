import packageJson from '../../package.json' with { type: 'json' };

/** How the image starts weeder. */
export const imageConfig = {
  User: '65532:65532',
  // Health checks and metrics.
  ExposedPorts: { '9643/tcp': {}, '9644/tcp': {} },
  // The reason for the limit of malloc is in docs/adr/0010-build-one-bundle-chunk-for-each-verb.md.
  Env: ['PATH=/usr/local/bin:/nodejs/bin', 'MALLOC_ARENA_MAX=2'],
  // V8 keeps the memory of a thread that has ended for other threads, for ever: docs/adr/0010-build-one-bundle-chunk-for-each-verb.md
  Entrypoint: ['/nodejs/bin/node', '--no-memory-pool-share-memory-on-teardown', '/weeder/dist/weeder.js'],
  Cmd: ['run'],
  WorkingDir: '/weeder',
} as const;

/** Returns the labels. `revision` is the commit, if the sources are those of a commit; `source` is their repository. */
export function labels(revision?: string, source?: string): Readonly<Record<string, string>> {
  const { name, description, version, license } = packageJson;
  const entries = Object.entries({
    title: name,
    description,
    version,
    licenses: license,
    ...(source === undefined ? {} : { source }),
    ...(revision === undefined ? {} : { revision }),
  });
  return Object.fromEntries(entries.map(([key, value]) => [`org.opencontainers.image.${key}`, value]));
}
