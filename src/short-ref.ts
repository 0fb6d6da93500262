/** `main` for refs/heads/main, `v1.8` for refs/tags/v1.8; anything else stays as it is. */
export const shortRef = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '');
