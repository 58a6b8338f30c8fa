interface PolledListOptions<List> {
  /** The path of the list with the current query. */
  readonly path: () => string;
  readonly take: (list: List) => void;
  /** Called after each request, and also if it failed: the last list stays, and times have passed. */
  readonly show: () => void;
}

/**
 * Returns a function that requests a list. There is one request at a time; if the path has changed meanwhile, another
 * one follows at once. The page shows the state of the connection elsewhere.
 */
export function createPolledList<List>({ path, take, show }: PolledListOptions<List>): () => void {
  let requested: string | undefined;

  async function load(from: string): Promise<void> {
    const response = await fetch(from, { signal: AbortSignal.timeout(10_000) });
    if (!response.ok) throw new Error(`the request for ${from} failed: ${response.status}`);
    take(await response.json());
  }

  return function refresh() {
    if (requested !== undefined) return;
    const from = path();
    requested = from;
    const done = () => {
      requested = undefined;
      show();
      if (path() !== from) refresh();
    };
    load(from).then(done, done);
  };
}
