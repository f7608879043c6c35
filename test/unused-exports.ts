import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const CODE = '{src,console,test,bench,docs,pack,deploy,bin}/**/*.{ts,tsx,js,mjs}'
const DECLARED = /^export (?:declare )?(?:async |abstract )?(?:function\*?|class|const|let|type|interface|enum) (\w+)/gm
const LISTED = /^export (?:type )?\{([^{}]*)\}/gm
const IMPORTED = /(?:\{([^{}]*)\} from|\* as \w+ from|\bimport\()\s*'(\.[^']+)'/g
const WHOLE = '*'

/** Every exported name that no other file imports, as `path name`. A file that is imported as a whole has no such names. */
export function unusedExports(): string[] {
  const files = globSync(CODE, { cwd: ROOT, exclude: ['**/*.d.ts', '**/built/**'] }).map((path) => ({
    path,
    text: readFileSync(join(ROOT, path), 'utf8'),
  }))
  const imported = new Set(files.flatMap(importsOf))
  return files
    .filter(({ path }) => !imported.has(`${path} ${WHOLE}`))
    .flatMap(({ path, text }) => exportsOf(text).map((name) => `${path} ${name}`))
    .filter((name) => !imported.has(name))
    .sort()
}

type File = { path: string; text: string }

function importsOf({ path, text }: File): string[] {
  return [...text.matchAll(IMPORTED)].flatMap(([, names, from]) => {
    const target = join(dirname(path), from!)
    return names === undefined ? `${target} ${WHOLE}` : namesIn(names).map(({ before }) => `${target} ${before}`)
  })
}

/** A type and a constant may have the same name. */
function exportsOf(text: string): string[] {
  const declared = [...text.matchAll(DECLARED)].map(([, name]) => name!)
  const listed = [...text.matchAll(LISTED)].flatMap(([, names]) => namesIn(names!).map(({ after }) => after))
  return [...new Set([...declared, ...listed])]
}

/** What is between the braces of an import or an export: `type A, b as c`. */
function namesIn(list: string): { before: string; after: string }[] {
  const names = list.split(',').map((one) => one.trim().replace(/^type /, ''))
  return names.filter(Boolean).map((name) => {
    const [before, after = before] = name.split(/\s+as\s+/)
    return { before: before!, after: after! }
  })
}
