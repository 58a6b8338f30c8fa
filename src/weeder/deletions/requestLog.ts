import { failed, ok, type Result, textOf, truncate } from '@weeder/kube-runtime/base';
import type { ApiFailure, ApiRequest, KubeClient } from '@weeder/kube-runtime/client';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import { podPath } from '../pods/podPath.ts';

const longestLog = 4 << 10;
/**
 * The end of a log matters most, and the kubelet counts its limit from the first of the lines: so all of them are
 * received, up to this many bytes, and the end is kept.
 */
const tail = { keep: 64 << 10, limit: 4 << 20 };

/**
 * Requests the last lines of the log of a pod's crashed container, and keeps 4 KiB of them. Without `previous`, the
 * kubelet serves the log of the last run of a container that waits for its next one.
 */
export async function requestLog(
  client: Pick<KubeClient, 'call'>,
  { namespace, name, container }: Pick<CrashLoopingPod, 'namespace' | 'name' | 'container'>,
  lines: number,
  limits: Pick<ApiRequest, 'rank' | 'signal' | 'isNeeded' | 'timeoutMs'>,
): Promise<Result<readonly string[], ApiFailure>> {
  const result = await client.call({
    method: 'GET',
    path: podPath(namespace, name, 'log'),
    query: { container, tailLines: lines, limitBytes: tail.limit + 1 },
    isText: true,
    tail,
    isConfidential: true,
    ...limits,
  });
  return result.ok ? ok(endOf(textOf(result.body) ?? '')) : failed(result.failure);
}

/** The last lines that fit, or the beginning of the last one. */
function endOf(log: string): readonly string[] {
  const lines = log.split('\n');
  if (lines.at(-1) === '') lines.pop();
  let room = longestLog;
  const first = lines.findLastIndex((line) => {
    room -= Buffer.byteLength(line) + 1;
    return room < 0;
  });
  const kept = lines.slice(first + 1);
  return kept.length > 0 ? kept : lines.slice(-1).map((line) => truncate(line, longestLog));
}
