import http from 'node:http';
import { failed, messageOf, ok, type Result } from '@weeder/kube-runtime/base';
import type { PortForward } from '@weeder/kube-runtime/client';
import type { WeederPod } from './readWeeders.ts';

/** A response of the weeder in a pod. */
interface Answer {
  readonly status: number;
  readonly text: string;
}

const answerWithinMs = 10_000;
/** More than any of the answers; bytes. */
const longestAnswer = 16 * 2 ** 20;

/** Sends a GET to a port of the pod; fails with a clause that says why there is no response. */
export async function askWeeder(
  forward: PortForward,
  { namespace, name: pod }: WeederPod,
  port: number,
  path: string,
): Promise<Result<Answer, string>> {
  const stream = await forward.open({ namespace, pod, port });
  if (!stream.ok) return stream;
  const { promise, resolve } = Promise.withResolvers<Result<Answer, string>>();
  const signal = AbortSignal.timeout(answerWithinMs);
  const request = http.get({ host: 'localhost', port, path, createConnection: () => stream.value, signal });
  request.on('error', (error) => resolve(failed(messageOf(error))));
  request.on('response', (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.length > longestAnswer) request.destroy(new Error('the response is too long'));
    });
    response.on('error', (error) => resolve(failed(messageOf(error))));
    response.on('end', () => resolve(ok({ status: response.statusCode ?? 0, text })));
  });
  const answer = await promise;
  stream.value.destroy();
  return answer;
}
