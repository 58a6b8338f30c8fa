import { type Page, sendText } from './httpAnswer.ts';

/** One thing that has to be in order. */
export interface HealthCheck {
  /** As kube-apiserver names its own: `ping`, `stream/pods app=web`. */
  readonly name: string;
  readonly isOk: boolean;
  /** How it is, in a few words; why not, when it is not. May be empty. */
  readonly detail: string;
}

/** What a probe is told: 200 or 503, and a line for each check when it fails, or when `?verbose` asks. */
export function healthPage(name: 'healthz' | 'readyz', checks: () => readonly HealthCheck[]): Page {
  return (url, request, response) => {
    const found = checks();
    const isOk = found.every((check) => check.isOk);
    const isVerbose = url.searchParams.has('verbose');
    const lines = [...found.map(lineOf), `${name} check ${isOk ? 'passed' : 'failed'}`];
    sendText(request, response, isOk ? 200 : 503, isOk && !isVerbose ? 'ok\n' : `${lines.join('\n')}\n`);
  };
}

function lineOf({ name, isOk, detail }: HealthCheck): string {
  const rest = detail === '' ? '' : `: ${detail}`;
  return isOk ? `[+]${name} ok${rest}` : `[-]${name} failed${rest}`;
}
