import type { WebClient } from '@slack/web-api';
import { slackTrouble } from '../slack/start-trouble.js';

/** Whose bot token it is. */
export interface Identity {
  readonly teamId: string;
  /** The workspace's name. */
  readonly teamName: string;
  readonly botId: string;
  readonly botUserId: string;
}

export async function whoAmI(client: WebClient): Promise<Identity> {
  const answer = await client.auth.test().catch((error: unknown) => {
    throw slackTrouble(error, 'SLACK_BOT_TOKEN');
  });
  if (!answer.team_id || !answer.user_id) throw new Error('Slack did not say whose token this is');
  return {
    teamId: answer.team_id,
    teamName: answer.team ?? answer.team_id,
    botId: answer.bot_id ?? '',
    botUserId: answer.user_id,
  };
}
