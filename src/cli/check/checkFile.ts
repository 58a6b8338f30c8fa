import { isMap, isScalar } from 'yaml';
import type { FieldError } from '../../base/fieldError.ts';
import { nearest } from '../../base/nearest.ts';
import type { Config } from '../../config/config.ts';
import { describeMaintenance, describeRestart } from '../../config/describeSettings.ts';
import { parseConfig } from '../../config/parse.ts';
import { readConfigText, readStandardInput, standardInput } from '../../config/read.ts';
import type { ObserverConfig } from '../../config/schema/observer.ts';
import { readYaml } from '../../config/text/yamlText.ts';
import { checkApplicationFile, largestApplications } from './checkApplications.ts';

/** What `weeder check` finds in one file. */
export interface CheckedFile {
  readonly file: string;
  /** `other`: a file in a folder that has no key of a config and no Application. */
  readonly type: 'config' | 'applications' | 'other';
  /** What the file configures, in lines of text; empty if it has errors. */
  readonly summary: readonly string[];
  readonly errors: readonly FieldError[];
  readonly warnings: readonly FieldError[];
}

/** Checks a config, or a file with Applications. `mayBeOther`: the user has not named this file, but its folder. */
export async function checkFile(file: string, { mayBeOther = false } = {}): Promise<CheckedFile> {
  const path = file === '-' ? standardInput : file;
  const text = await (file === '-'
    ? readStandardInput(largestApplications)
    : readConfigText(file, largestApplications));
  const none = { file, type: 'config', summary: [], errors: [], warnings: [] } as const;
  if (!text.ok) return { ...none, errors: text.error };
  const ofApplications = checkApplicationFile(text.value, path);
  if (ofApplications !== undefined) return { ...none, type: 'applications', ...ofApplications };
  if (mayBeOther && !topKeys(text.value).some(isOfConfigs)) return { ...none, type: 'other' };
  const config = parseConfig(text.value, path);
  return config.ok ? { ...none, summary: inShort(config.value) } : { ...none, errors: config.error };
}

/** Keys of a config, of which it has at least one, that are not near to usual keys of other files. */
const distinctive = [
  'servicesAndDependantSelectors',
  'declaredDependencies',
  'watchDuration',
  'podCreation',
  'restartControl',
] as const;

/** Whether the key is, or was meant as, one of a config. */
function isOfConfigs(key: string): boolean {
  return key === 'observer' || nearest(key, distinctive) !== undefined;
}

/** The keys at the top level; if the text is not YAML, what looks like them. */
function topKeys(text: string): readonly string[] {
  const yaml = readYaml(text);
  if (!yaml.ok) return [...text.matchAll(/^\w+(?=["']?:)/gm)].map(([key]) => key);
  const maps = yaml.value.documents.flatMap(({ contents }) => (isMap(contents) ? contents.items : []));
  return maps.flatMap(({ key }) => (isScalar(key) ? String(key.value) : []));
}

/** A summary of the config; its section `restartControl` is explained below it. */
function inShort({
  services,
  declared,
  podCreation,
  restart,
  observer,
  notifications = {},
}: Config): readonly string[] {
  const selectors = [...services.values()].reduce((sum, service) => sum + service.podSelectors.length, 0);
  const receivers = Object.keys(notifications).length;
  const parts = [
    ...(services.size === 0 ? [] : [`${count(services.size, 'service')}, ${count(selectors, 'podSelector')}`]),
    ...(declared === undefined ? [] : ['declared dependencies']),
    ...(podCreation === undefined ? [] : ['creation of pods']),
    ...(restart === undefined ? [] : [`restart control with ${count(restart.rules.length, 'rule')}`]),
    ...(observer === undefined ? [] : ['the application observer', ...correctionsOf(observer)]),
    ...(receivers === 0 ? [] : [`notifications to ${count(receivers, 'receiver')}`]),
  ];
  return [parts.join(', ') || 'nothing is configured yet', ...(restart === undefined ? [] : describeRestart(restart))];
}

function correctionsOf({ maintenanceWindows }: ObserverConfig): readonly string[] {
  return describeMaintenance(maintenanceWindows).map((each) => `which corrects ${each}`);
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
