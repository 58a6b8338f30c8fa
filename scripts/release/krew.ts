import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import type { Bundle } from '../image/bundle.ts';
import { fileEntry, gzip, writeTar } from '../image/tar.ts';
import type { Publisher } from '../publisher.ts';

const { name, version, engines } = packageJson;
const node = engines.node.replace('>=', '');

/**
 * The plugin for kubectl: an archive with the bundle, and for a publisher the manifest by which krew installs it. The bundle is the same
 * on every platform, and needs a Node. krew links `kubectl-weeder.exe` on Windows, which can be no script: there npm
 * installs the plugin.
 */
export function krewFiles(
  bundle: Bundle,
  license: Buffer,
  publisher: Publisher | undefined,
): readonly (readonly [name: string, content: Buffer])[] {
  const files = [...bundle.files].map(([path, content]) => fileEntry(`dist/${path}`, content));
  const moduleType = fileEntry('package.json', '{ "type": "module" }\n');
  const entries = [...files, moduleType, fileEntry('kubectl-weeder', launcher, 0o755), fileEntry('LICENSE', license)];
  const archive = gzip(writeTar(entries));
  const archiveName = `kubectl-${name}-${version}.tar.gz`;
  if (publisher === undefined) return [[archiveName, archive]];
  const manifest = stringify(krewManifest(publisher.source, archiveName, archive));
  return [
    [archiveName, archive],
    [`krew-${name}.yaml`, Buffer.from(manifest)],
  ];
}

function krewManifest(homepage: string, archiveName: string, archive: Buffer) {
  const uri = `${homepage}/releases/download/v${version}/${archiveName}`;
  const sha256 = createHash('sha256').update(archive).digest('hex');
  const platforms = ['linux', 'darwin'].flatMap((os) =>
    ['amd64', 'arm64'].map((arch) => ({ selector: { matchLabels: { os, arch } }, uri, sha256, bin: 'kubectl-weeder' })),
  );
  return {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name },
    spec: {
      version: `v${version}`,
      homepage,
      shortDescription: 'Show what weeder does, and why',
      description:
        'Shows what the controller weeder sees, does and would do in a cluster, and which workloads seem to\ndepend on which services.\n',
      caveats: `Needs Node ${node} or newer in the PATH.\n`,
      platforms,
    },
  };
}

/** krew links to it from another folder. */
const launcher = `#!/bin/sh
command -v node >/dev/null || { echo 'weeder: node is not in the PATH: weeder needs Node ${node} or newer.' >&2; exit 1; }
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in /*) self=$link ;; *) self=$(dirname "$self")/$link ;; esac
done
exec node "$(dirname "$self")/dist/kubectl-weeder.js" "$@"
`;
