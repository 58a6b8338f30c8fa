import { appendFileSync, cpSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFile } from '../weeder.ts';
import { deployFolder, type Manifest, render } from './kustomize.ts';

/** Changes that a user makes to an overlay in a separate kustomization. */
export interface Changes {
  readonly namespace?: string;
  readonly components?: readonly string[];
  /** Additional lines of kustomization.yaml. */
  readonly lines?: readonly string[];
}

/** Renders an overlay with these changes. */
export function customised(overlay: string, changes: Changes): Promise<Manifest[]> {
  const { namespace, components = [], lines = [] } = changes;
  const kustomization = [
    `resources: [../overlays/${overlay}]`,
    `components: [${components.map((name) => `../components/${name}`)}]`,
    ...(namespace === undefined ? [] : [`namespace: ${namespace}`]),
    ...lines,
  ];
  return own({ 'kustomization.yaml': kustomization.join('\n') });
}

let copy: string | undefined;
const folders = new Map<string, string>();

/** Renders a folder with these files next to the overlays. Equal files are the same folder. */
export async function own(files: Readonly<Record<string, string>>): Promise<Manifest[]> {
  const key = JSON.stringify(files);
  copy ??= copyOfDeploy();
  const folder = folders.get(key) ?? join(copy, `own-${folders.size}`);
  folders.set(key, folder);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return render(folder);
}

/** Renders the overlay `namespaced`, edited as deploy/README.md describes for weeder's namespace and two watched ones. */
export async function namespacedFor(
  home: string,
  watched: readonly [string, string],
  components: readonly string[] = [],
): Promise<Manifest[]> {
  const overlay = join(copyOfDeploy(), 'overlays', 'namespaced');
  for (const [index, name] of watched.entries()) {
    renameSync(join(overlay, `shoot-${index + 1}`), join(overlay, name));
  }
  for (const file of globSync('**/kustomization.yaml', { cwd: overlay })) {
    const text = readFileSync(join(overlay, file), 'utf8')
      .replace(/shoot-([12])\b/g, (_whole, number: string) => watched[Number(number) - 1] ?? '')
      .replace('namespace: weeder', `namespace: ${home}`);
    writeFileSync(join(overlay, file), text);
  }
  const list = `components: [${components.map((name) => `../../components/${name}`)}]\n`;
  appendFileSync(join(overlay, 'kustomization.yaml'), list);
  return render(overlay);
}

function copyOfDeploy(): string {
  const folder = temporaryFile('deploy');
  cpSync(deployFolder, folder, { recursive: true });
  return folder;
}
