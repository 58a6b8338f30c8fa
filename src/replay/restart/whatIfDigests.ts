import { createHash } from 'node:crypto';
import { isAtLeast } from '../../kube/objects/resourceVersion.ts';
import { restartRequests } from '../../recording/restart/recordRestartApi.ts';
import type { RestartInput } from '../../recording/restart/restartLines.ts';
import { missingKeys, usesFingerprint } from '../../restart/digest/digest.ts';
import { sourceKey } from '../../restart/model/refs.ts';
import type { WrapDigests } from '../../restart/restartControl.ts';
import type { Digest, Digests } from '../../restart/sources/digests.ts';
import { recordedDigest } from '../recorded/restartSchema.ts';

interface Known {
  readonly version: string;
  readonly digest: Digest;
}

/**
 * What a recording says of the content of sources, whenever it is asked: by the version that was read, or the next one
 * after it. If no content was read, only the writes are known: each version counts as a change, and
 * `onUnread` is called with the source.
 */
export function whatIfDigests(inputs: readonly RestartInput[], onUnread: (source: string) => void): WrapDigests {
  const known = new Map<string, Known[]>();
  for (const input of inputs) {
    if (input.in !== 'response' || !input.request.startsWith('digest ') || input.response.is !== 'ok') continue;
    const [question, version] = splitQuestion(input.request);
    const digest = recordedDigest.safeParse(input.response.value);
    if (digest.success) known.set(question, [...(known.get(question) ?? []), { version, digest: digest.data }]);
  }

  return (real, sources): Digests => ({
    ...real,
    async digestOf(key, ref, uses) {
      const meta = sources.get(ref);
      const [question, version] = splitQuestion(restartRequests.digest(key, ref, uses, meta?.resourceVersion));
      const found = known.get(question);
      const digest = found === undefined ? undefined : digestAt(found, version);
      if (digest !== undefined) return { is: 'ok', digest };
      if (meta !== undefined) onUnread(sourceKey(ref));
      const missing = meta === undefined ? missingKeys('absent', uses) : [];
      const tag = `${version} ${usesFingerprint(uses, 'none')}`;
      return {
        is: 'ok',
        digest: { tag, keys: undefined, isAbsent: meta === undefined, isImmutable: false, missing },
      };
    },
    hashOf: (_key, _workload, tags) =>
      createHash('sha256')
        .update(JSON.stringify([...tags].map(([source, { tag }]) => [source, tag]).sort()))
        .digest('base64url')
        .slice(0, 22),
  });
}

function digestAt(found: readonly Known[], version: string): Digest | undefined {
  const exact = found.findLast((each) => each.version === version);
  if (exact !== undefined || version === gone) return exact?.digest;
  const read = found.filter((each) => each.version !== gone);
  return (read.find((each) => isAtLeast(each.version, version)) ?? read.at(-1))?.digest;
}

const gone = 'gone';

/** The version is its last word. */
function splitQuestion(to: string): readonly [string, string] {
  const at = to.lastIndexOf(' ');
  return [to.slice(0, at), to.slice(at + 1)];
}
