/** For an LRUCache of up to `entries`: with `max`, it sets aside all places when it is made, milliseconds and a megabyte each. */
export const growTo = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
