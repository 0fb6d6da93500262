import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from './errors.js';

/** Undefined if this server lacks the operation. */
export async function possible<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ApiError && error.unsupported) return undefined;
    throw error;
  }
}

/** Undefined if the forge does not answer, for whatever reason: only for optional details of a message. */
export async function ifAnswered<T>(
  asking: Promise<T>,
  failed: (error: ApiError) => void = () => {},
): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    failed(error);
    return undefined;
  }
}

/** Deleted, or this account may not see it. Only for what is shown now: it must not end anything. */
export const isUnseen = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.kind === 'notFound' || error.kind === 'forbidden');

/** Undefined if it was deleted or this account may not see it. */
export async function unlessUnseen<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (isUnseen(error)) return undefined;
    throw error;
  }
}

/** The forge knows the operation and says that the thing does not exist. */
export const isAbsent = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.kind === 'notFound' && !error.unsupported;

/** Undefined if the thing does not exist. */
export async function unlessAbsent<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** The longest anyone waits for optional details of an action that is already done. */
const decorationMs = 3_000;

/** For a read after an action: like ifAnswered, with a time limit. */
export function soon<T>(asking: Promise<T>): Promise<T | undefined> {
  return Promise.race([ifAnswered(asking), pause(decorationMs, undefined, { ref: false })]);
}

/** The account itself is refused, lacks a scope, or a proxy is in the way: a hidden repository is “not found” instead. */
export const isRefused = (error: unknown): error is ApiError => error instanceof ApiError && error.kind === 'forbidden';
