import { type JsonObject, textOf } from '@weeder/kube-runtime/base';
import { inParallel } from '../../base/promises.ts';
import { done, failed, type Outcome } from '../objects/applyFailure.ts';
import { type Identity, identityText } from '../objects/identity.ts';
import type { Collection, Contents, Page } from '../plan/resourceApi.ts';

/** `from`: where the page begins. Default: at the beginning. */
type List = (collection: Collection, from: string | undefined) => Promise<Outcome<Page>>;

interface Found {
  readonly count: number;
  readonly example: Identity | undefined;
}

const maxConcurrent = 8;

/**
 * Fails if objects would be lost with this version of an object, with their number and one of them, or if they
 * cannot be listed.
 */
export async function checkContents(list: List, live: JsonObject, contents: Contents): Promise<Outcome<undefined>> {
  const collections = await contents.collections(live);
  if (!collections.ok) return unknown(collections, contents);
  const results: Outcome<Found>[] = [];
  await inParallel(collections.value, maxConcurrent, async (collection, index) => {
    results[index] = await foundIn(list, collection, contents);
  });
  let count = 0;
  let example: Identity | undefined;
  for (const found of results) {
    if (!found.ok) return unknown(found, contents);
    count += found.value.count;
    example ??= found.value.example;
  }
  if (example === undefined) return done(undefined);
  const which = `${count} ${count === 1 ? 'object' : 'objects'} ${contents.others} would be deleted with it`;
  const one = count === 1 ? '' : 'one of them is ';
  return failed('permanent', `${which}: ${one}${identityText(example)}. ${contents.remedy}`);
}

/** Reads on only while nothing is found that would be lost. */
async function foundIn(list: List, collection: Collection, { mayBeLost }: Contents): Promise<Outcome<Found>> {
  const { group, kind } = collection;
  for (let from: string | undefined; ; ) {
    const page = await list(collection, from);
    if (!page.ok) return page;
    const { metadata, remaining, next } = page.value;
    const lost = metadata.flatMap((each) => {
      const identity = { group, kind, namespace: textOf(each['namespace']) ?? '', name: textOf(each['name']) ?? '' };
      return mayBeLost(identity, each) ? [] : [identity];
    });
    if (lost.length > 0 || next === undefined) return done({ count: lost.length + remaining, example: lost[0] });
    from = next;
  }
}

function unknown({ failure }: Extract<Outcome<never>, { readonly ok: false }>, { remedy }: Contents): Outcome<never> {
  return {
    ok: false,
    failure: { ...failure, reason: `What would be deleted with it is unknown: ${failure.reason} ${remedy}` },
  };
}
