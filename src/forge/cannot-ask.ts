/** This server cannot be asked that; the words say what it can be asked. */
export class CannotAsk extends Error {
  override readonly name = 'CannotAsk';
}
