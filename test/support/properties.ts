/** How often a property is tried: CI tries it three times as often. */
export const tries = (usual: number) => ({ numRuns: process.env['CI'] ? 3 * usual : usual });
