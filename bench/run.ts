/** `npm run bench -- <name>` runs bench/<name>.ts; its figures are the last lines. */
type Bench = { readonly run: () => Promise<Readonly<Record<string, number>>> };

const name = process.argv[2] ?? '';
if (!/^[a-z][a-z-]*$/.test(name)) {
  console.error('Say which: npm run bench -- forge');
  process.exit(2);
}

// the name is only known at run time; every bench file exports `run`
const bench = (await import(`./${name}.ts`)) as Bench;
const figures = await bench.run();
for (const [figure, value] of Object.entries(figures)) console.log(`figure ${figure} ${Number(value.toPrecision(4))}`);
process.exit(0);
