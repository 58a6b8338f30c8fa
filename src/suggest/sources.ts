import type { JsonObject } from '@weeder/kube-runtime/base';
import { readTexts } from '../restart/references/labelSelector.ts';

/** The values of a ConfigMap or Secret by their keys, as texts. */
export type SourceData = Readonly<Record<string, string>>;

/** Reads the data of a ConfigMap or Secret as the API serves it, or as a manifest has it. */
export function readSourceData({ kind, data, stringData }: JsonObject): SourceData {
  const texts = readTexts(data);
  if (kind !== 'Secret') return texts;
  const decoded = Object.entries(texts).map(([key, value]) => [key, decode(value)] as const);
  return { ...Object.fromEntries(decoded), ...readTexts(stringData) };
}

/** Bytes that are no text, such as a keystore, contain no name. */
function decode(value: string): string {
  return Buffer.from(value, 'base64').toString('utf8');
}
