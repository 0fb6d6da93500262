import { UserError } from '../errors.js';
import { ApiError, type OperationName } from '../forge/index.js';

/** For an operation that fails with 404 if the person does not exist: says so. */
export async function orNoPerson<T>(
  login: string | undefined,
  operation: OperationName,
  field: string,
  reading: Promise<T>,
): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    const absent = error instanceof ApiError && error.kind === 'notFound' && !error.unsupported;
    if (login === undefined || !absent || error.operation !== operation) throw error;
    throw new UserError(`I can’t find ${login} on the forge. Check the login.`, { field, cause: error });
  }
}
