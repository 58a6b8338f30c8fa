import type { StateDisplay } from '../protocol/states.ts';
import { span } from './format.ts';

/** `tried again in 3m 57s`. `until`: when the timer of the state fires. */
export function nextStep({ next }: Pick<StateDisplay, 'next'>, until: number, now: number): string {
  return `${next} in ${unbroken(span(until - now))}`;
}

/** A duration that stays on one line. */
export function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}
