/** Rejects with the reason where the work takes longer; the work itself goes on. */
export function within<T>(ms: number, work: Promise<T>, reason: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(reason)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
