/** A listener that calls two listeners, in this order. */
export function notifyBoth<T>(first: (value: T) => void, second: (value: T) => void): (value: T) => void {
  return (value) => {
    first(value);
    second(value);
  };
}
