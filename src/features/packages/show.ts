import { z } from 'zod';
import { command } from '../../chat/command.js';
import { type Needed, plainField } from '../../chat/fields.js';
import { isAddress } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { asCode, UserError } from '../../errors.js';
import { packageCard } from '../../view/cards/package.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';

interface PackageRef {
  readonly owner: string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
}

const Part = z.string().min(1).max(255);

/** Only the name may contain slashes: owner and type come before it, the version after it. */
function readPackageRef(parts: readonly string[]): PackageRef | undefined {
  const [owner = '', type = ''] = parts;
  const version = parts.at(-1) ?? '';
  const name = parts.slice(2, -1).join('/');
  const whole = [owner, type, name, version];
  if (parts.length < 4 || whole.some((part) => part === '' || part.length > 255 || /\s/.test(part))) return undefined;
  return { owner, type: type.toLowerCase(), name, version };
}

/** `https://forge/owner/-/packages/type/name/version` */
function partsOf(text: string, webUrl: string): string[] {
  if (!isAddress(text)) return text.split('/');
  const path = URL.canParse(text) && text.startsWith(`${webUrl}/`) ? new URL(text).pathname : '';
  const root = new URL(webUrl).pathname.replace(/\/+$/, '');
  const [owner, dash, packages, ...rest] = path.slice(root.length + 1).split('/');
  return dash === '-' && packages === 'packages' ? [owner ?? '', ...rest].map(decode) : [];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function packageRef(): Needed<PackageRef> {
  return plainField<PackageRef>(
    {},
    {
      label: 'Package',
      placeholder: 'owner/type/name/version',
      input: { kind: 'text', max: 1000 },
      schema: z.object({ owner: Part, type: Part, name: Part, version: Part }),
      read: (text, { webUrl }) => {
        const found = readPackageRef(partsOf(text.trim(), webUrl));
        if (found) return found;
        throw new UserError(
          `“${text.trim().slice(0, 60)}” is not a package. Write owner/type/name/version, such as acme/npm/loom/1.2.0, or its web address.`,
        );
      },
      lookUps: ({ owner, ...ref }) => [
        { says: `I can’t find ${owner} on the forge.`, ask: (api) => api.users.get({ username: owner }) },
        {
          says: `There is no ${ref.type} package ${asCode(ref.name)} with version ${asCode(ref.version)} in ${owner}.`,
          ask: (api) => api.packages.get({ owner, ...ref }),
        },
      ],
      show: ({ owner, type, name, version }) => [owner, type, name, version].join('/'),
    },
  );
}

export const packageShow = command({
  name: 'package show',
  summary: 'Show one version of a package',
  examples: ['package show acme/generic/engine/0.9', 'package show acme/npm/@acme/loom/1.2.0'],
  fields: { package: packageRef() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['packages.get'],
  plan: (args) => [request('packages.get', args.package)],
  run: (args, { api }) => api.packages.get(args.package),
  reply: (found, _args, { now }) =>
    message({
      blocks: packageCard(found, { now, buttons: [openButton(found.html_url)] }),
    }),
});
