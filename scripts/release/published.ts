import { parseDocument } from 'yaml';
import type { Image } from '../image/image.ts';
import { Problem } from '../problem.ts';
import type { Publisher } from '../publisher.ts';
import type { Change } from './changes.ts';

/** What the files of a release name, and those of a checkout do not. */
export interface Publication {
  readonly version: string;
  readonly publisher: Publisher;
  /** Undefined in a trial without the image. */
  readonly image: Image | undefined;
}

const imageOfCheckout = /(?<=^ *(?:- )?)image: weeder:\S+$/gm;

/** An install file whose image is that of the registry, by its digest. */
export function publishedInstallFile(text: string, { version, publisher, image }: Publication): string {
  const reference = image === undefined ? `${publisher.image}:${version}` : `${publisher.image}@${image.digest}`;
  return replaced(text, imageOfCheckout, `image: ${reference}`);
}

/** A file of the chart as it is published: with the image, addresses, and what Artifact Hub shows. */
export function publishedChartFile(
  path: string,
  content: Buffer,
  about: Publication,
  changes: readonly Change[],
): Buffer {
  const { version, publisher } = about;
  switch (path) {
    case 'Chart.yaml':
      return Buffer.from(publishedChart(String(content), about, changes));
    case 'values.yaml':
      return Buffer.from(replaced(String(content), /^ {2}repository: weeder$/m, `  repository: ${publisher.image}`));
    case 'README.md': {
      const folder = `${publisher.source}/blob/v${version}/deploy/chart/`;
      const links = String(content).replaceAll(/(?<=]\()[^)]+/g, (link) => String(new URL(link, folder)));
      return Buffer.from(replaced(links, / deploy\/chart /, ` oci://${publisher.charts}/weeder --version ${version} `));
    }
    default:
      return content;
  }
}

function publishedChart(text: string, { version, publisher, image }: Publication, changes: readonly Change[]): string {
  const { owner, source } = publisher;
  const chart = parseDocument(text);
  chart.set('home', source);
  chart.set('sources', [source]);
  chart.set('maintainers', [{ name: owner, url: source.slice(0, source.lastIndexOf('/')) }]);
  const annotate = (name: string, value: object) =>
    chart.setIn(['annotations', `artifacthub.io/${name}`], JSON.stringify(value, null, 2));
  annotate('links', [
    { name: 'documentation', url: `${source}/blob/v${version}/docs/README.md` },
    { name: 'support', url: `${source}/issues` },
  ]);
  annotate('changes', changes);
  if (image !== undefined) {
    const platforms = image.platforms.map(({ architecture }) => `linux/${architecture}`);
    annotate('images', [{ name: 'weeder', image: `${publisher.image}@${image.digest}`, platforms }]);
  }
  return String(chart);
}

function replaced(text: string, what: RegExp, by: string): string {
  const result = text.replace(what, by);
  if (result === text) throw new Problem(`A release replaces ${what}, which no longer occurs where it is expected.`);
  return result;
}
