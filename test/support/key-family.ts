import { catalog } from '../../src/store/keys.js';

const patterns = Object.entries(catalog).map(([name, { template }]) => ({
  name,
  pattern: new RegExp(
    `^${template
      .replace(/[{}]/g, '\\$&')
      .replace(/<:\w+>/g, '(?::[^:{}]+)?')
      .replace(/<\w+>/g, '[^:{}]+')}$`,
  ),
}));

/** The catalog's name for a key found in Redis, or undefined for a stray one. */
export const familyOf = (key: string): string | undefined => patterns.find(({ pattern }) => pattern.test(key))?.name;
