// Builds dist/api.js, the API with its packages in one file, and dist/LICENSES, which has the
// licence of each of these packages; and copies dist/migrate.sql. npm runs it before it packs; in a
// clone: npm ci, then npm run build.
//
// The bundle does not contain the packages of the program itself or its modules: both share them.
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('.', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

// ../ops/log.js of src/api is ../src/ops/log.js of dist
const shared = {
  name: 'shared',
  setup: (esbuild) =>
    esbuild.onResolve({ filter: /^\.\.\/[a-z]+\/[^/]+$/ }, ({ path, importer }) =>
      /\/src\/api\/[^/]+$/.test(importer)
        ? { path: path.replace(/^\.\.\//, '../src/'), external: true }
        : null,
    ),
};

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/api/server.js'],
  outfile: 'dist/api.js',
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  minifySyntax: true,
  minifyWhitespace: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  // a page to try queries on, which is not used: package.json has a small package in its place
  external: [...Object.keys(dependencies), 'ruru', 'ruru/*'],
  banner: {
    js: `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);`,
  },
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  plugins: [shared],
});

// The licence of a package, by its folder.
function licenceOf(folder) {
  const read = (name) => readFileSync(`${root}${folder}/${name}`, 'utf8');
  const { name, version, license } = JSON.parse(read('package.json'));
  const file = readdirSync(`${root}${folder}`).find((one) => /^(licen[cs]e|copying)/i.test(one));
  if (!file && !license) throw new Error(`${name} has no licence`);
  const text = file ? read(file).trim() : `License: ${license}`;
  return `${name} ${version} (${license})\n\n${text}\n`;
}

const folders = Object.keys(metafile.inputs).map(
  (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0],
);
const licences = [...new Set(folders.filter(Boolean))].sort().map(licenceOf);
writeFileSync(
  `${root}dist/LICENSES`,
  `dist/api.js contains these packages.\n\n${licences.join(`\n${'-'.repeat(80)}\n\n`)}`,
);

// the steps of "atid-indexer pack"
copyFileSync(`${root}../examples/migrate.sql`, `${root}dist/migrate.sql`);
