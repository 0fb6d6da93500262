import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster } from 'ioredis';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { script } from '../../src/store/ground.js';
import { type Connection, close, connect, ready } from '../../src/store/redis.js';
import { freshRedis, ownRedis } from '../support/redis.js';
import { wireTo } from '../support/wire.js';

const opened: (() => unknown)[] = [];
// not after each test: some run side by side
afterAll(async () => {
  await Promise.all(opened.splice(0).map((end) => end()));
});

const track = (redis: Connection): Connection => {
  opened.push(() => close(redis));
  return redis;
};

/** A server that handles its connections so, until the tests end; its host and port. */
async function listen(handle: (socket: Socket) => void = () => {}): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    handle(socket);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

/** A server that accepts connections and never answers. */
const silent = async () => `redis://${await listen()}`;

/** The only node of a Cluster in this state. */
async function node(state: () => 'ok' | 'fail', reply = (_port?: number) => '+OK\r\n'): Promise<string> {
  const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
  const host = await listen((socket) => {
    const slots = `*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n${bulk('127.0.0.1')}:${socket.localPort}\r\n`;
    socket.setEncoding('utf8').on('data', (text: string) => {
      for (const command of text
        .toLowerCase()
        .split(/\*\d+\r\n/)
        .slice(1)) {
        if (!command.includes('cluster\r\n'))
          socket.write(command.includes('set\r\n') ? reply(socket.localPort) : '+OK\r\n');
        else socket.write(command.includes('info') ? bulk(`cluster_state:${state()}`) : slots);
      }
    });
  });
  return `redis+cluster://${host}`;
}

describe.concurrent('a Cluster that is down', () => {
  it('is ready as soon as it is up', async () => {
    let looks = 0;
    const redis = track(connect(await node(() => (++looks < 3 ? 'fail' : 'ok'))));
    await ready(redis);
    expect(looks).toBe(3);
  });

  it('is reported in time', async () => {
    const redis = track(connect(await node(() => 'fail')));
    await expect(ready(redis, 300)).rejects.toThrow('Redis did not answer within 300 ms (the Cluster is down)');
  });

  // a BullMQ worker that reconnects meanwhile waits for this
  it('lets a connection be opened again', async () => {
    const redis = track(connect(await node(() => 'fail')));
    await new Promise((resolve) => redis.once('ready', resolve));
    const ended = new Promise((resolve) => redis.once('end', resolve));
    redis.disconnect();
    await ended;
    await redis.connect();
    expect(redis.status).toBe('ready');
  });
});

describe.concurrent('a Cluster that fails over', () => {
  const moved = (times: number) => {
    let left = times;
    return (port?: number) => (--left < 0 ? '+OK\r\n' : `-MOVED 7943 127.0.0.1:${port}\r\n`);
  };

  it('is asked until it has a new primary, however often it sends a command on', async () => {
    const redis = track(connect(await node(() => 'ok', moved(20))));
    expect(await redis.set('x', '1')).toBe('OK');
  });
});

describe.concurrent('a connection whose address leads to another primary', () => {
  /** Two servers that replicate each other, and an address that led to the first and now leads to the second. */
  async function failedOver(options: { timeoutMs?: number } = {}) {
    const [old, young] = await Promise.all([ownRedis(), ownRedis()]);
    const wire = await wireTo(old.url);
    opened.push(() => Promise.all([old.close(), young.close(), wire.close()]));
    const redis = track(connect(wire.url, options));
    await ready(redis);
    await redis.set('x', '1');
    const [before, after] = [old.url, young.url].map((url) => track(connect(url)));
    wire.lead(young.url);
    await before?.replicaof('127.0.0.1', Number(new URL(young.url).port));
    return { redis, after };
  }

  it('is reopened, and what the old one refused is sent again', async () => {
    const { redis, after } = await failedOver();
    expect(await redis.set('x', '2')).toBe('OK');
    expect(await after?.get('x')).toBe('2');
  });

  it('is reopened for the bot too, which has to retry itself', async ({ expect }) => {
    const { redis, after } = await failedOver({ timeoutMs: 1_000 });
    await expect(redis.set('x', '2')).rejects.toThrow(/READONLY/);
    await expect.poll(() => redis.set('x', '3').catch(String)).toBe('OK');
    expect(await after?.get('x')).toBe('3');
  });
});

describe.concurrent('a full Redis', () => {
  it('refuses more slowly each time, so that nobody retries without a pause', async () => {
    const full = await ownRedis();
    opened.push(full.close);
    const redis = track(connect(full.url));
    await redis.config('SET', 'maxmemory', '1');
    const began = performance.now();
    for (let tries = 0; tries < 4; tries++) await expect(redis.set('x', '1')).rejects.toThrow(/OOM/);
    // 100, 200, 400 and 800 ms
    expect(performance.now() - began).toBeGreaterThan(1_400);
    await redis.config('SET', 'maxmemory', '0');
    expect(await redis.set('x', '1')).toBe('OK');
  });
});

describe('what is sent at once', () => {
  it('is written at once, in its order', async () => {
    const { redis, close: end } = await freshRedis();
    opened.push(end);
    if (redis instanceof Cluster) throw new Error('a single server');
    const one = vi.spyOn(redis.stream, '_write');
    const several = vi.spyOn(redis.stream, '_writev');
    const sent = async (text: string) => {
      await Promise.resolve();
      return redis.append('x', text);
    };
    expect(await Promise.all([redis.append('x', 'a'), redis.append('x', 'b'), sent('c'), sent('d')])).toEqual([
      1, 2, 3, 4,
    ]);
    expect([one.mock.calls.length, several.mock.calls.length]).toEqual([0, 1]);
  });
});

describe('connect', () => {
  /** Against a timer of the same process, which a machine that stops for a moment holds up as well. */
  const sooner = (asked: Promise<unknown>) =>
    Promise.race([
      asked.then(
        () => 'answered',
        () => 'refused',
      ),
      pause(1_000, 'late', { ref: false }),
    ]);

  it('fails fast with a timeout if Redis is down', async () => {
    const redis = track(connect('redis://127.0.0.1:1', { timeoutMs: 200 }));
    expect(await sooner(redis.get('x'))).toBe('refused');
  });

  it('fails fast with a timeout if Redis is silent', async () => {
    const redis = track(connect(await silent(), { timeoutMs: 200 }));
    expect(await sooner(redis.set('x', '1'))).toBe('refused');
  });

  it('fails fast with a timeout if Redis falls silent later', async () => {
    const fresh = await freshRedis();
    const wire = await wireTo(fresh.url);
    opened.push(() => wire.close().then(fresh.close));
    const redis = track(connect(wire.url, { timeoutMs: 200 }));
    await ready(redis);
    wire.hold();
    expect(await sooner(redis.set('x', '1'))).toBe('refused');
    wire.release();
  });

  it('says what to do when Redis does not answer in time', async () => {
    const redis = track(connect('redis://127.0.0.1:1'));
    await expect(ready(redis, 150)).rejects.toThrow(/Check REDIS_URL/);
  });

  it('works with a timeout once it is ready', async () => {
    const fresh = await freshRedis();
    opened.push(fresh.close);
    const redis = track(connect(fresh.url, { timeoutMs: 1000 }));
    await ready(redis);
    await redis.set('x', '1');
    expect(await redis.get('x')).toBe('1');
  });
});

describe('script', () => {
  it('runs on a server that has never seen it, and again by its hash', async () => {
    const { redis, close: end } = await freshRedis();
    opened.push(end);
    const add = script("return redis.call('INCRBY', KEYS[1], ARGV[1])");
    await redis.script('FLUSH');
    expect(await add(redis, ['{a}:n'], [2])).toBe(2);
    expect(await add(redis, ['{a}:n'], [3])).toBe(5);
  });

  it('refuses keys of different slots, though this server would take them', async () => {
    const { redis, close: end } = await freshRedis();
    opened.push(end);
    await expect(script('return 1')(redis, ['{a}:n', '{b}:n'], [])).rejects.toThrow(/one hash tag/);
  });
});
