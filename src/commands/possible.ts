import { ApiError } from '../forge/index.js';

/** Undefined where this server has no such operation: what cannot be known is left out. */
export async function possible<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ApiError && error.unsupported) return undefined;
    throw error;
  }
}

/** Undefined where the forge does not tell, for whatever reason: only for what decorates an answer. */
export async function ifTold<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
