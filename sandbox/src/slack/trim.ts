/** Removes the oldest entries of a map beyond its limit. */
export function trim(map: Map<string, unknown>, max: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
}
