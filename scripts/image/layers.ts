import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../problem.ts';
import type { Bundle } from './bundle.ts';
import { debianFiles, nodeFiles } from './download.ts';
import type { Architecture, Pins } from './pins.ts';
import { publishedPackageJson } from './publishedPackageJson.ts';
import { sbomOf } from './sbom.ts';
import { fileEntry, folderEntry, linkEntry, type TarEntry } from './tar.ts';

const checkout = join(import.meta.dirname, '..', '..');

/** A layer, lowest first. */
export interface Layer {
  /** For the history of the image. */
  readonly title: string;
  readonly entries: readonly TarEntry[];
}

/** Returns the layers that change with Node or Debian: the system, and Node. */
export function runtimeLayers(pins: Pins, architecture: Architecture): Layer[] {
  const packages = pins[architecture].packages.map((each) => ({ ...each, ...debianFiles(each) }));
  return [
    {
      title: `Debian: ${packages.map(({ name, version }) => `${name} ${version}`).join(', ')}`,
      entries: [
        ...system,
        ...packages.flatMap(({ files }) => files.filter(({ name }) => isNeeded(name))),
        // Where scanners for vulnerabilities look for the packages of an image without dpkg.
        ...packages.map(({ name, control }) => fileEntry(`var/lib/dpkg/status.d/${name}`, control)),
      ],
    },
    { title: `Node ${pins.node}`, entries: nodeEntries(pins, architecture) },
  ];
}

/** Returns the layer that changes with weeder. */
export function weederLayer(bundle: Bundle, pins: Pins, architecture: Architecture): Layer {
  const source = (path: string): Buffer => readFileSync(join(checkout, path));
  return {
    title: 'weeder',
    entries: [
      ...[...bundle.files].map(([path, text]) => fileEntry(`weeder/dist/${path}`, text)),
      fileEntry('weeder/package.json', publishedPackageJson()),
      fileEntry('weeder/LICENSE', source('LICENSE')),
      fileEntry('weeder/weeder.cdx.json', sbomOf(bundle, { pins, architecture })),
      fileEntry('usr/local/bin/weeder', source('deploy/image/weeder'), 0o755),
    ],
  };
}

const system: readonly TarEntry[] = [
  fileEntry(
    'etc/passwd',
    'root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/nonexistent:/sbin/nologin\n',
  ),
  fileEntry('etc/group', 'root:x:0:\nnonroot:x:65532:\n'),
  fileEntry('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
  linkEntry('etc/os-release', '../usr/lib/os-release'),
  linkEntry('lib', 'usr/lib'),
  linkEntry('lib64', 'usr/lib64'),
  folderEntry('tmp', 0o1777),
];

/** Shared libraries and the loader, without the converters of character sets; the licenses. */
function isNeeded(name: string): boolean {
  return (
    /^usr\/lib(64)?\/([\w-]+-linux-gnu\/)?[\w.+-]+\.so(\.[\d.]+)?$/.test(name) ||
    /^usr\/(lib\/os-release|share\/doc\/[^/]+(\/copyright)?)$/.test(name)
  );
}

function nodeEntries(pins: Pins, architecture: Architecture): TarEntry[] {
  const files = nodeFiles(pins, architecture);
  return [
    ['package/bin/node', 'nodejs/bin/node', 0o755] as const,
    ['package/LICENSE', 'nodejs/LICENSE', 0o644] as const,
  ].map(([from, to, mode]) => {
    const file = files.find(({ name }) => name === from);
    if (file === undefined) throw new Problem(`The npm package of Node ${pins.node} has no ${from}.`);
    return fileEntry(to, file.content, mode);
  });
}
