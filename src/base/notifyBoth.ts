/** A listener that calls two listeners, in this order. */
export function notifyBoth<T>(first: (told: T) => void, second: (told: T) => void): (told: T) => void {
  return (told) => {
    first(told);
    second(told);
  };
}
