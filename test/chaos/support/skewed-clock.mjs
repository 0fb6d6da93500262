import { readFileSync } from 'node:fs';

// A machine whose clock is wrong: every Date of this process is off by what the file says, from one moment to the next.
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
