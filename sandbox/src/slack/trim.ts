/** Forgets the oldest entries of a map that grew beyond its bound. */
export function trim(map: Map<string, unknown>, max: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
}
