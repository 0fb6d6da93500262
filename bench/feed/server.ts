import { createServer } from 'node:http';
import { activities, repository } from '../forge/activities.js';
import { repositoryAt, sizes } from '../scale/sizes.js';

/** A forge without activity: the same probe page for every repository and owner, a list of each owner's, empty inboxes. */
const page = Buffer.from(JSON.stringify(activities(10)));
const type = { 'content-type': 'application/json;charset=utf-8' };
const perPage = 50;
let requests = 0;

function owned(owner: number, number: number): { readonly rows: readonly object[]; readonly total: number } {
  const total = Math.ceil(sizes.repositories / sizes.owners);
  const from = (number - 1) * perPage;
  const rows = Array.from({ length: Math.max(0, Math.min(perPage, total - from)) }, (_, row) => {
    const at = owner - 1 + (from + row) * sizes.owners;
    const { owner: login, name } = repositoryAt(at);
    return { ...repository(), id: at + 1, name, full_name: `${login}/${name}`, owner: { id: owner, login } };
  });
  return { rows, total };
}

const server = createServer((request, response) => {
  requests += 1;
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://forge');
  if (pathname.endsWith('/repos/search')) {
    const { rows, total } = owned(Number(searchParams.get('uid')), Number(searchParams.get('page') ?? 1));
    response.writeHead(200, { ...type, 'x-total-count': total }).end(JSON.stringify({ ok: true, data: rows }));
  } else if (pathname.endsWith('/notifications')) {
    response.writeHead(200, { ...type, 'x-total-count': '0' }).end('[]');
  } else response.writeHead(200, { ...type, 'content-length': page.length, 'x-total-count': '10' }).end(page);
});
process.on('message', () => process.send?.({ requests }));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  process.send?.(address.port);
});
