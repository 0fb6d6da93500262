import { defineConfig } from 'vitest/config';

/** The fast tests of the rules that stryker.config.json changes: each change runs those that reach it. */
export default defineConfig({
  test: {
    experimental: { fsModuleCache: true },
    isolate: false,
    include: [
      'test/chat/admit.test.ts',
      'test/chat/approval/*.test.ts',
      'test/feed/exposure.test.ts',
      'test/forge/hidden.test.ts',
      'test/jobs/deliver/*.test.ts',
      'test/jobs/{cause,comings,feed-road,forged-records,gate,hidden,inbox-follow,sick-item,sight}.test.ts',
      'test/store/{approvals,outbox,seal,signed}.test.ts',
    ],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
