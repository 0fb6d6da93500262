/** Slack's own, for all workspaces and for GovSlack. */
const slackHosts = /^(?:[a-z0-9-]+\.)*(?:slack\.com|slack-gov\.com)$/;

/** Answers leave for Slack alone, or for where SLACK_API_URL points: an address from anywhere else is none. */
export function isSlackAddress(address: string, apiUrl: string | undefined): boolean {
  const url = read(address);
  if (url?.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:' && url.port === '' && slackHosts.test(url.hostname)) return true;
  const api = read(apiUrl ?? '');
  return api !== undefined && url.origin === api.origin;
}

const read = (address: string): URL | undefined => (URL.canParse(address) ? new URL(address) : undefined);

/** Of a slash command: nothing but what Bellows said there itself can be replaced. A button's would replace its card. */
export const isCommandAddress = (address: string): boolean => read(address)?.pathname.startsWith('/commands/') ?? false;
