import { afterAll, describe, expect, it } from 'vitest';
import { documented } from '../contract/forge/documented.js';
import { contract } from '../contract/forge/index.js';
import { figures, ledger } from '../contract/forge/suite.js';
import { nameOf, startLive } from './support/server.js';

const live = await startLive();

describe.skipIf(!live)(`the forge contract on ${nameOf(live)}`, () => {
  const book = ledger();
  const rows = Object.values(documented);
  contract(book, () => {
    if (!live) throw new Error('there is no server');
    return live;
  });

  it('covers every operation of the API document', () => {
    expect(rows.filter((name) => !book.covered.has(name))).toEqual([]);
  });

  afterAll(async () => {
    const absent = rows.filter((name) => book.absent.has(name));
    const ran = rows.filter((name) => book.ran.has(name) && !book.failed.has(name));
    const failed = rows.filter((name) => book.failed.has(name));
    console.log(`absent in ${nameOf(live)}: ${[...book.absent].join(', ') || 'nothing'}`);
    console.log(
      `documented operations run ${ran.length}, absent ${absent.length}, failed ${failed.length} of ${rows.length}; ` +
        `with those beyond the document run ${book.ran.size}, absent ${book.absent.size}, failed ${book.failed.size}`,
    );
    console.log(figures('live', book));
    await live?.close();
  });
});
