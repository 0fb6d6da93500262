/** Rejects with the reason if the work takes too long; the work itself keeps running. */
export function within<T>(ms: number, work: Promise<T>, reason: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(reason)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
