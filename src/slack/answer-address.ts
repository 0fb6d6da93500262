/** Slack's own hosts, for all workspaces and for GovSlack. */
const slackHosts = /^(?:[a-z0-9-]+\.)*(?:slack\.com|slack-gov\.com)$/;

/** Answers are only sent to Slack, or to SLACK_API_URL: any other address is refused. */
export function isSlackAddress(address: string, apiUrl: string | undefined): boolean {
  const url = read(address);
  if (url?.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:' && url.port === '' && slackHosts.test(url.hostname)) return true;
  const api = read(apiUrl ?? '');
  return api !== undefined && url.origin === api.origin;
}

const read = (address: string): URL | undefined => (URL.canParse(address) ? new URL(address) : undefined);

/** A slash command's address: only Bellows' own messages there can be replaced. A button's would replace its card. */
export const isCommandAddress = (address: string): boolean => read(address)?.pathname.startsWith('/commands/') ?? false;
