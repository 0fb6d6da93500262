/** The same page for every client, from its own process. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { activities } from './activities.js';

const page = Buffer.from(JSON.stringify(activities(50)));
const settings = JSON.stringify({ max_response_items: 50, default_paging_num: 30 });

const server = createServer((request, response) => {
  const type = { 'content-type': 'application/json;charset=utf-8' };
  if (request.url?.includes('/activities/feeds'))
    response.writeHead(200, { ...type, 'x-total-count': '50', 'content-length': page.length }).end(page);
  else if (request.url?.endsWith('/settings/api')) response.writeHead(200, type).end(settings);
  else response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
});

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
