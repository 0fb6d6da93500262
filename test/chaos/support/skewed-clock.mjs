import { readFileSync } from 'node:fs';

// A machine with a wrong clock: every Date of this process is off by the offset in the file, effective at once.
const file = process.env.BELLOWS_TEST_CLOCK ?? '';
const RealDate = Date;
const offset = () => {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
};

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offset());
    else super(...args);
  }
  static now() {
    return RealDate.now() + offset();
  }
};
