import type { Workspace } from '../workspace.js';

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Splits off text already in angle brackets, so that a link is not wrapped twice. */
const outside = (text: string, change: (part: string) => string): string =>
  text
    .split(/(<[^>]*>)/)
    .map((part) => (part.startsWith('<') ? part : change(part)))
    .join('');

/**
 * What Slack makes of typed text: three characters escaped, addresses in angle brackets, and existing names of
 * people and channels turned into mentions. In commands the name stays beside the id.
 */
export function asTyped(space: Workspace, text: string, where: 'command' | 'message'): string {
  const label = (name: string) => (where === 'command' ? `|${name}` : '');
  const linked = escapeText(text).replace(/https?:\/\/[^\s<>]+/g, (url) => `<${url}>`);
  return outside(linked, (part) =>
    part
      .replace(/(?<![\w/])@([\w.-]*\w)/g, (whole, name: string) => {
        const user = [...space.users.values()].find((each) => each.name === name);
        return user === undefined ? whole : `<@${user.id}${label(user.name)}>`;
      })
      .replace(/(?<![\w/])#([a-z][\w-]*)/g, (whole, name: string) => {
        const channel = [...space.channels.values()].find((each) => each.name === name);
        if (channel === undefined) return whole;
        // the name of a private channel is not revealed
        return `<#${channel.id}|${channel.kind === 'public' ? channel.name : ''}>`;
      }),
  );
}
