import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

// Packages are used only through the entry points that they publish, and Node is not patched, because internals of either
// may change with any version.

const ROOT = join(import.meta.dirname, '..')
const files = globSync('{src,bin,test,bench,docs}/**/*.{ts,js,mjs}', {
  cwd: ROOT,
  exclude: ['test/public-interfaces.test.ts'],
})
const sources = files.map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))

/** What may precede the name of a package that is loaded, or of a file in it that is looked up. */
const SPECIFIER =
  /(?:\bfrom|\bimport|\bimport\(|\b(?:require|load|resolve|[a-z]\w*\(import\.meta\.url\))\()\s*'([^'.][^']*)'/g
const PACKAGE = /^(@[a-z][\w.-]*\/[a-z][\w.-]*|[a-z][\w.-]*)(?:\/(.+))?$/

/** For packages that do not list their entry points: the files that their documentation names, and data. */
const DOCUMENTED_FILES = [
  // The only decoder of OTLP in an npm package that was generated from the published schema.
  '@opentelemetry/otlp-proto-exporter-base/build/src/generated/root.js',
  '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz',
  'pdfjs-dist/legacy/build/pdf.mjs',
  'pdfjs-dist/package.json',
  'tesseract.js-core/tesseract-core-simd-lstm',
  'vader-sentiment/vader_lexicon.txt',
]

/** Ways to change Node or V8 at run time. */
const PATCHES = [
  {
    word: /\bsetFlagsFromString\b/,
    // How many pages WebAssembly may have follows from the memory of the process, and nothing else limits them.
    home: 'src/translation/engines/pool/engine-memory.ts',
    why: 'options of V8 stand in bin/node-options.js',
  },
  { word: /\bregisterHooks\b|\bmodule\.register\(/, why: 'modules are found where Node looks for them' },
  {
    word: /\brunIn(?:New|This)?Context\b/,
    // A measurement of JSON.parse that knows no shape of an object yet.
    home: 'test/worst-case/parse-cost.ts',
    why: 'nothing runs in a context of its own',
  },
  { word: /\basyncHooks\.\w+\s*=/, why: 'a module of Node is not patched' },
]

test('packages are imported by their public entry points', () => {
  const wrong = sources.flatMap(({ file, text }) =>
    specifiersIn(text)
      .filter((specifier) => !isPublic(specifier))
      .map((specifier) => `${file}: ${specifier}`),
  )
  assert.deepEqual(wrong, [])
})

test('nothing patches Node, its module loader or its test runner', () => {
  const wrong = sources.flatMap(({ file, text }) =>
    PATCHES.filter(({ word, home }) => file !== home && word.test(text)).map(({ why }) => `${file}: ${why}`),
  )
  assert.deepEqual(wrong, [])
})

test('the search finds what it is for', () => {
  const found = specifiersIn(
    `import { a } from 'undici/lib/api'; await import('undici/lib/web'); require('typebox/build/x.mjs')
     load('undici/lib/dispatcher/client.js'); createRequire(import.meta.url)('fastify/lib/reply'); import 'pino/lib/tools'`,
  )
  assert.equal(found.length, 6)
  for (const specifier of found) assert.ok(!isPublic(specifier), specifier)
  for (const specifier of ['undici', 'typebox/schema', 'zxing-wasm/reader']) assert.ok(isPublic(specifier), specifier)
  assert.ok(sources.flatMap(({ text }) => specifiersIn(text)).length > 100)
})

function specifiersIn(text: string): string[] {
  return [...text.matchAll(SPECIFIER)].map((match) => match[1]!).filter((name) => PACKAGE.test(name))
}

/** Node itself refuses paths that the `exports` of a package do not list. Without `exports`, every file could be loaded. */
function isPublic(specifier: string): boolean {
  const [, name, subpath] = PACKAGE.exec(specifier)!
  // `resolve('bin/x')` is a path, not a package.
  const isPackage = existsSync(join(ROOT, 'node_modules', name!))
  if (subpath === undefined || !isPackage || DOCUMENTED_FILES.includes(specifier)) return true
  const manifest = JSON.parse(readFileSync(join(ROOT, 'node_modules', name!, 'package.json'), 'utf8'))
  return manifest.exports !== undefined && canResolve(specifier)
}

function canResolve(specifier: string): boolean {
  try {
    return Boolean(import.meta.resolve(specifier))
  } catch {
    return false
  }
}
