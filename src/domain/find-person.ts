import { UserError } from '../errors.js';
import type { OperationName } from '../forge/index.js';
import { isAbsent } from '../forge/possible.js';

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
    if (login === undefined || !isAbsent(error) || error.operation !== operation) throw error;
    throw new UserError(`I can’t find ${login} on the forge. Check the login.`, { field, cause: error });
  }
}
