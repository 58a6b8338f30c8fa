import { byId, setText } from '../dom.ts';

/** Lets the user copy the source of the shown machine, which Stately Sketch and Studio import. */
export function createSourceCopy(): { readonly of: (machine: string | undefined) => void } {
  const button = byId('machine-copy', HTMLButtonElement);
  const result = byId('machine-copied', HTMLElement);
  let path = '';

  button.addEventListener('click', () => {
    const from = path;
    copy(from).then(
      () => setText(result, 'Copied: paste it at sketch.stately.ai.'),
      // Without HTTPS, browsers have a clipboard on loopback only.
      () => location.assign(from),
    );
  });
  return {
    of(machine) {
      button.hidden = machine === undefined;
      path = `/machines/${encodeURIComponent(machine ?? '')}.json`;
      setText(result, '');
    },
  };
}

async function copy(path: string): Promise<void> {
  // The promise is passed on, because some browsers permit a copy only in the same turn as the click.
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': fetchText(path) })]);
}

async function fetchText(path: string): Promise<Blob> {
  const response = await fetch(path, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`there is no source at ${path}`);
  return new Blob([await response.text()], { type: 'text/plain' });
}
