/// <reference types="vite/types/importMeta.d.ts" />
import { describe } from 'vitest';

/** Each mostly waits and shares nothing with the others, so together they take as long as the slowest. */
for (const [place, load] of Object.entries(import.meta.glob('./**/*.waiting.ts')))
  describe.concurrent(place, () => {
    describe.sequential('in order', async () => {
      await load();
    });
  });
