import { addControl } from './address.ts';
import { byId } from './dom.ts';

/** The select of a view that chooses a namespace. */
interface NamespaceFilter {
  /** Empty: any namespace. */
  readonly chosen: () => string;
  /** Offers these namespaces, and the chosen one, even if it is no longer among them. */
  offer(namespaces: readonly string[]): void;
}

export function createNamespaceFilter(view: string, onChange: () => void): NamespaceFilter {
  const select = byId(`${view}-namespace`, HTMLSelectElement);
  addControl(view, 'namespace', select, onChange);
  return {
    chosen: () => select.value,
    offer(namespaces) {
      const chosen = select.value;
      const isOffered = chosen === '' || namespaces.includes(chosen);
      const names = isOffered ? namespaces : [chosen, ...namespaces];
      const options = [...select.options].slice(1).map(({ value }) => value);
      if (options.length === names.length && names.every((name, index) => name === options[index])) return;
      select.replaceChildren(new Option('any', ''), ...names.map((name) => new Option(name, name)));
      select.value = chosen;
    },
  };
}
