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

  return function refresh() {
    if (requested !== undefined) return;
    const from = path();
    requested = from;
    const done = () => {
      requested = undefined;
      show();
      if (path() !== from) refresh();
    };
    fetchList<List>(from).then(take).then(done, done);
  };
}

/** A list that is a second old at most: pages that show the same view share an answer. */
export async function fetchList<List>(path: string): Promise<List> {
  const headers = { 'cache-control': 'max-age=1' };
  const response = await fetch(path, { headers, signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`the request for ${path} failed: ${response.status}`);
  return await response.json();
}
