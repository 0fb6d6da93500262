/** A run's path without its ref: `ci.yml` for `ci.yml@refs/heads/main`. A file's name may contain an @ too. */
export const workflowFile = (path: string): string => path.split('@refs/', 1)[0] ?? '';
