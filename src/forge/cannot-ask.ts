/** This server does not support the request; the message says what it does support. */
export class CannotAsk extends Error {
  override readonly name = 'CannotAsk';
}
