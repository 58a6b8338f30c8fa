import packageJson from '../../package.json' with { type: 'json' };
import type { Bundle } from './bundle.ts';
import type { Architecture, Pins } from './pins.ts';

/**
 * Returns the software bill of materials as CycloneDX: the packages in the bundle and, of an image, Node and the packages
 * of Debian. Without a serial number and a date, so that the same content gives the same text.
 */
export function sbomOf(
  { packages }: Bundle,
  image?: { readonly pins: Pins; readonly architecture: Architecture },
): string {
  const { name, version, license } = packageJson;
  const bundled = packages.map((each) => npmComponent('library', each));
  const others = image === undefined ? [] : runtimeComponents(image.pins, image.architecture);
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: npmComponent('application', { name, version, license }) },
    components: [...bundled, ...others],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

function npmComponent(type: 'application' | 'library', { name, version, license }: NpmPackage): object {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type, 'bom-ref': purl, name, version, licenses: [{ expression: license }], purl };
}

function runtimeComponents(pins: Pins, architecture: Architecture): object[] {
  const node = `pkg:generic/node@${pins.node}`;
  const libraries = pins[architecture].packages.map(({ name, version }) => {
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
    return { type: 'library', 'bom-ref': purl, name, version, purl };
  });
  // Vulnerabilities of Node are published under this CPE.
  const cpe = `cpe:2.3:a:nodejs:node.js:${pins.node}:*:*:*:*:*:*:*`;
  return [{ type: 'platform', 'bom-ref': node, name: 'node', version: pins.node, purl: node, cpe }, ...libraries];
}
