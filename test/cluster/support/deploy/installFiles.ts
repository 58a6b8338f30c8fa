import { stringify } from 'yaml';
import type { Manifest } from './kustomize.ts';
import { own } from './overlays.ts';

interface Installation {
  readonly components: readonly string[];
  /** The content of weeder.yaml; undefined: that of the base. */
  readonly config?: string;
}

const reference = '# docs/reference/configuration.md describes all keys.';
const declared = `# Pods declare the services that they depend on (docs/how-to/declare-dependencies.md).
declaredDependencies: {}
`;
const optIn = `# Workloads opt in by an annotation (docs/explanation/restart-control.md).
restartControl: {}
`;
const applications = `# Nothing is managed until you create an Application (docs/reference/observer.md).
observer: {}
`;

/** The files of deploy/install by name: each set of controllers, with a config that touches nothing by itself. */
export const installations: Readonly<Record<string, Installation>> = {
  weeder: { components: [] },
  'with-restart-control': { components: ['restart-control'], config: `${reference}\n${declared}${optIn}` },
  'with-observer': { components: ['observer'], config: `${reference}\n${declared}${applications}` },
  all: { components: ['restart-control', 'observer'], config: `${reference}\n${declared}${optIn}${applications}` },
};

/** The objects of an installation, in the order in which they have to be created. */
export function installed({ components, config }: Installation): Promise<Manifest[]> {
  const lines = [
    'resources: [../namespace, ../overlays/single]',
    `components: [${components.map((name) => `../components/${name}`)}]`,
  ];
  if (config === undefined) return own({ 'kustomization.yaml': lines.join('\n') });
  const generator = { name: 'weeder', behavior: 'replace', files: ['weeder.yaml'] };
  const replaced = { ...generator, namespace: 'weeder', options: { disableNameSuffixHash: true } };
  lines.push(`configMapGenerator: [${JSON.stringify(replaced)}]`);
  return own({ 'kustomization.yaml': lines.join('\n'), 'weeder.yaml': config });
}

/** The text of a file of deploy/install. */
export async function installFile(name: string, installation: Installation): Promise<string> {
  const objects = await installed(installation);
  const command = `kubectl apply --server-side -f ${name}.yaml`;
  const head = `# Generated from the kustomizations of deploy/ (npm run generate:install). To install: ${command}\n`;
  // As YAML 1.1, which kubectl reads: texts such as "on" are quoted.
  return head + objects.map((object) => stringify(object, { version: '1.1', lineWidth: 0 })).join('---\n');
}
