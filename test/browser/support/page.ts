import { execFile } from 'node:child_process';
import { accessSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Sandbox, startSandbox } from '@bellows/sandbox';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { createLog } from '../../../src/log.js';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-component-update',
  '--disable-sync',
];

function findChromium(): string {
  const found = places.find((path) => {
    try {
      accessSync(path);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error('These tests need Chromium: apt-get install chromium');
  return found;
}

export interface OpenPage {
  readonly page: Page;
  /** Requested addresses that are not the sandbox's own. */
  readonly strays: readonly string[];
  /** Errors from the page's console. */
  readonly complaints: readonly string[];
}

export interface Product {
  readonly sandbox: Sandbox;
  open(options?: Parameters<Browser['newContext']>[0]): Promise<OpenPage>;
}

/** One sandbox and one browser for a test file. */
export function useProduct(): Product {
  let sandbox: Sandbox | undefined;
  let browser: Browser | undefined;
  let assets = '';
  const contexts: BrowserContext[] = [];
  const given = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('useProduct() gives its parts inside tests only.');
    return value;
  };
  beforeAll(async () => {
    assets = await mkdtemp(join(tmpdir(), 'bellows-page-'));
    await promisify(execFile)(process.execPath, ['sandbox/build-page.mjs', assets]);
    sandbox = await startSandbox({ port: 0, log: createLog({ level: 'silent' }), assets });
    browser = await chromium.launch({ executablePath: findChromium(), args: flags });
  });
  afterAll(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    await browser?.close();
    await sandbox?.stop();
    await rm(assets, { recursive: true, force: true });
    expect(sandbox?.slack.failures.all ?? []).toEqual([]);
  });
  return {
    get sandbox() {
      return given(sandbox);
    },
    async open(options = {}) {
      const context = await given(browser).newContext({ viewport: { width: 1440, height: 900 }, ...options });
      context.setDefaultTimeout(15_000);
      contexts.push(context);
      const page = await context.newPage();
      const { address } = given(sandbox);
      const strays: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(`${address}/`)) strays.push(request.url());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
      });
      await page.goto(address);
      await page.getByRole('log', { name: 'Messages' }).waitFor();
      return { page, strays, complaints };
    },
  };
}
