import type { KubeObject } from '../apiserver/meta/objects.ts';
import { numberOf, objectOf, textOf } from '../base/json.ts';
import type { Clock, TimerHandle } from '../clock/clock.ts';

/** The simulated behaviour of a container. Times are milliseconds. */
export interface Program {
  /** A Service, in the pod's namespace, that the container depends on. */
  readonly needs: string | undefined;
  /** The time from its start, or from the availability of the Service, to readiness. */
  readonly readyAfter: number;
  /** The time that it runs without the Service before it exits with code 1. */
  readonly givesUpAfter: number;
  /** As `givesUpAfter`, once it has been ready. */
  readonly survives: number;
  readonly isHealthy: boolean;
}

/** The annotation with a Program as JSON, or with one for each container in `containers`, by name. */
export const programAnnotation = 'demo.weeder.dev/program';

/** Returns the program of a container, or else of its pod. By default a container becomes ready and remains ready. */
export function programOf({ metadata }: KubeObject, container: string): Program {
  const given: unknown = JSON.parse(metadata.annotations?.[programAnnotation] ?? '{}');
  const { containers, ...common } = objectOf(given);
  const { needs, readyAfter, givesUpAfter, survives, isHealthy } = objectOf(objectOf(containers)[container] ?? common);
  return {
    needs: textOf(needs),
    readyAfter: numberOf(readyAfter) ?? 500,
    givesUpAfter: numberOf(givesUpAfter) ?? 0,
    survives: numberOf(survives) ?? 0,
    isHealthy: isHealthy !== false,
  };
}

export interface ProcessOptions {
  readonly clock: Clock;
  /** Returns the current program of the pod. */
  readonly program: () => Program;
  readonly isAvailable: (service: string) => boolean;
  readonly onReady: (isReady: boolean) => void;
  /** Called at an exit with code 1. */
  readonly onExit: () => void;
}

/** A running process. */
export interface Process {
  /** Checks whether the program or the Service has changed. */
  sync(): void;
  kill(): void;
}

/** Runs a program once. */
export function startProcess({ clock, program, isAvailable, onReady, onExit }: ProcessOptions): Process {
  let isReady = false;
  let pending: { readonly what: 'ready' | 'exit'; readonly timer: TimerHandle } | undefined;

  function clear(): void {
    clock.clearTimeout(pending?.timer);
    pending = undefined;
  }

  function plan(what: 'ready' | 'exit', delay: number): void {
    if (pending?.what === what) return;
    clear();
    const act = () => {
      pending = undefined;
      if (what === 'exit') onExit();
      else setReady(true);
    };
    pending = { what, timer: clock.setTimeout(act, delay) };
  }

  function setReady(next: boolean): void {
    if (next === isReady) return;
    isReady = next;
    onReady(next);
  }

  function check(): void {
    const { needs, isHealthy, readyAfter, survives, givesUpAfter } = program();
    // A dependant remains ready until it exits, as in recordings of real pods.
    if (needs !== undefined && !isAvailable(needs)) plan('exit', isReady ? survives : givesUpAfter);
    else if (!isHealthy) {
      clear();
      setReady(false);
    } else if (isReady) clear();
    else plan('ready', readyAfter);
  }

  check();
  return { sync: check, kill: clear };
}
