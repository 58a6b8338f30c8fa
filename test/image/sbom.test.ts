import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };
import { sbomOf } from '../../scripts/image/sbom.ts';
import { imageBundle } from '../support/image.ts';

const Component = z.looseObject({ type: z.string(), name: z.string(), version: z.string(), purl: z.string() });
const Bom = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.strictObject({ component: Component }),
  components: z.array(Component),
});
const Versions = z.record(z.string(), z.looseObject({ version: z.string().optional() }));

const bundle = await imageBundle();
const { metadata, components } = Bom.parse(JSON.parse(sbomOf(bundle)));

/** What the dependencies need. No other package must enter the bundle unnoticed: add here what a change of them brings. */
const indirect = [
  '@opentelemetry/exporter-metrics-otlp-http',
  '@opentelemetry/otlp-exporter-base',
  '@opentelemetry/otlp-transformer',
  '@opentelemetry/semantic-conventions',
  '@pinojs/redact',
  'atomic-sleep',
  'bintrees',
  'jsonpath-plus',
  'oauth4webapi',
  'on-exit-leak-free',
  'openid-client',
  'pino-std-serializers',
  'quick-format-unescaped',
  'rfc4648',
  'safe-stable-stringify',
  'sonic-boom',
  'tdigest',
  'thread-stream',
];

test('the SBOM lists the packages in the bundle: the dependencies, and what they need, with their locked versions', () => {
  assert.deepEqual(
    components.map(({ name }) => name),
    [...Object.keys(packageJson.dependencies), ...indirect].sort(),
  );
  const packages = Versions.parse(lock.packages);
  for (const { name, version, purl } of components) {
    assert.equal(version, packages[`node_modules/${name}`]?.version, name);
    assert.equal(purl, `pkg:npm/${name.replace('@', '%40')}@${version}`);
  }
});

test('the SBOM describes weeder, and is the same each time', () => {
  const { name, version } = metadata.component;
  assert.deepEqual([name, version], [packageJson.name, packageJson.version]);
  assert.equal(sbomOf(bundle), sbomOf(bundle));
});
