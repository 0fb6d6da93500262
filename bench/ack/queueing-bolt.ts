import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { serveBolt } from './bolt.js';

/** What Bolt and BullMQ alone take: the command is in the queue before it is acknowledged, and nothing else happens. */
const queue = new Queue('bare', { connection: new Redis(process.env['REDIS_URL'] ?? '') });
await serveBolt((command) => queue.add('command', command, { jobId: `c-${command.trigger_id}` }));
