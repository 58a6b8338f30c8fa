import type { RequestListener } from 'node:http';

/** What the probes are told. */
export interface Health {
  /** The manager's state. */
  readonly state: string;
  readonly isReady: boolean;
}

/** `/healthz`: the process answers. `/readyz`: it weeds, or stands by. */
export function healthHandler(health: () => Health): RequestListener {
  return (request, response) => {
    const path = (request.url ?? '').split('?')[0];
    const answer = answerTo(path, health());
    response.writeHead(answer.status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : `${answer.text}\n`);
  };
}

function answerTo(path: string | undefined, { state, isReady }: Health) {
  if (path === '/healthz') return { status: 200, text: 'ok' };
  if (path === '/readyz') return { status: isReady ? 200 : 503, text: isReady ? 'ok' : `not ready: ${state}` };
  return { status: 404, text: 'not found: there is /healthz and /readyz' };
}
