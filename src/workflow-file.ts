/** A run's path without its ref: `ci.yml` for `ci.yml@refs/heads/main`. */
export const workflowFile = (path: string): string => path.split('@', 1)[0] ?? '';
