/** Code that is loaded once, when it is needed. */
export interface Code<T> {
  load(): Promise<T>;
  /** Undefined: it is not loaded yet. */
  loaded(): T | undefined;
}

export function codeOf<T>(load: () => Promise<T>): Code<T> {
  let loading: Promise<T> | undefined;
  let loaded: T | undefined;
  async function begin(): Promise<T> {
    loaded = await load();
    return loaded;
  }
  return {
    load() {
      loading ??= begin();
      return loading;
    },
    loaded: () => loaded,
  };
}
