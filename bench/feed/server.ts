import { createServer } from 'node:http';
import { activities } from '../forge/activities.js';

/** A forge on which nothing happens: the same probe page for every repository. */
const page = Buffer.from(JSON.stringify(activities(10)));
const headers = {
  'content-type': 'application/json;charset=utf-8',
  'content-length': page.length,
  'x-total-count': '10',
};

const server = createServer((_, response) => {
  response.writeHead(200, headers).end(page);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  process.send?.(address.port);
});
