import type { Input } from '../../recording/file/entry.ts';
import type { HashKey } from '../digest/digest.ts';
import { hashKeysOf } from '../digest/hashKeys.ts';
import type { WatchHashKeysOptions } from '../digest/watchHashKeys.ts';

type KeyListeners = Pick<WatchHashKeysOptions, 'onKeys' | 'onChecked'>;

/** The ids of the recorded hash keys: they make no tags, and every seal counts as valid. */
interface RecordedKeys {
  /** In place of `watchHashKeys`. */
  follow(event: KeyListeners): () => void;
  take(input: Extract<Input, { readonly in: 'keys' | 'keysRead' }>): void;
}

export function createRecordedKeys(): RecordedKeys {
  /** In a file that begins in the middle, keys may come before `follow` is called. */
  let missed: Parameters<RecordedKeys['take']>[0][] = [];
  let followed: KeyListeners | undefined;

  function take(input: Parameters<RecordedKeys['take']>[0]): void {
    if (followed === undefined) missed.push(input);
    else if (input.in === 'keysRead') followed.onChecked();
    else followed.onKeys({ ...hashKeysOf(keyNamed(input.current), input.ids.map(keyNamed)), confirms: () => true });
  }

  return {
    follow(event) {
      followed = event;
      const late = missed;
      missed = [];
      // The follower is ready for callbacks only after this returns.
      queueMicrotask(() => late.forEach(take));
      return () => {
        followed = undefined;
      };
    },
    take,
  };
}

function keyNamed(id: string): HashKey {
  return { id, bytes: Buffer.alloc(0) };
}
