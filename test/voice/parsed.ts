/** What was sent to Slack, with its blocks and views, which are JSON strings, parsed. */
export function parsed(sent: unknown): unknown {
  if (typeof sent === 'string' && /^[[{]/.test(sent)) return parsed(read(sent));
  if (Array.isArray(sent)) return sent.map(parsed);
  if (typeof sent !== 'object' || sent === null) return sent;
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, parsed(value)]));
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
