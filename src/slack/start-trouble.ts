import { reasonOf, UserError } from '../errors.js';
import { platformError } from './platform-error.js';

/** Why Slack could not be reached at start, for the operator. */
export function slackTrouble(error: unknown, token: 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN'): UserError {
  const word = platformError(error);
  if (word !== undefined) {
    const where = token === 'SLACK_BOT_TOKEN' ? 'Bot User OAuth Token' : 'app-level token with connections:write';
    return new UserError(`Slack refuses ${token} (${word}). Copy the ${where} from your Slack app.`, { cause: error });
  }
  const reason = reasonOf(error).split('\n', 1)[0];
  return new UserError(`Slack cannot be reached (${reason}). Check the network, and SLACK_API_URL if it is set.`, {
    cause: error,
  });
}
