import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { CONSOLE_SCREENS } from '../src/http/console/screens.ts'
import { PERMISSION_NAMES } from '../src/tenants/people/roles.ts'
import { CONSOLE_FOLDERS } from './boundaries.ts'
import { circlesOf } from './circles.ts'

// What test/boundaries.test.ts says about src, for the code that runs in browsers.

const ROOT = join(import.meta.dirname, '..')
const files = globSync('console/**/*.{ts,tsx}', { cwd: ROOT }).map((path) => {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return { path, text, imports: importsOf(path, text) }
})

/** Functions about the document that the gateway serves, which the docs page in browsers shares with the page without scripts. */
const READER = 'src/contract/openapi/read-document.ts'
const SHARED = [READER, 'src/base/units/units.ts']

test('the console takes nothing of src but types of the contract, the reader of the OpenAPI document, and units', () => {
  const wrong = files.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => !target.startsWith('console/'))
      .filter(({ target, isType }) => !SHARED.includes(target) && !(isType && target.startsWith('src/contract/')))
      .map(({ target }) => `${path} → ${target}`),
  )
  assert.ok(files.length > 30)
  assert.deepEqual(wrong, [])
})

test('what browsers run of src brings nothing else of src with it', () => {
  const imports = importsOf(READER, readFileSync(join(ROOT, READER), 'utf8'))
  assert.ok(imports.length > 0 && imports.every(({ isType }) => isType))
})

test('a folder of the console imports only the folders that it may import, and no screen another one', () => {
  const wrong = files.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target.startsWith('console/') && !mayImport(path, target))
      .map(({ target }) => `${path} → ${target}`),
  )
  assert.deepEqual(wrong, [])
})

test('files of the console do not form a circle', () => {
  const imports = files.map(({ path, imports }) => [path, imports.map(({ target }) => target)] as const)
  assert.deepEqual(circlesOf(new Map(imports)), [])
})

test('the gateway serves the path of every screen, and every screen needs a permission that there is', () => {
  const { text } = files.find(({ path }) => path === 'console/app/screens.ts')!
  const valuesOf = (name: string) =>
    [...text.matchAll(new RegExp(`\\b${name}: '([^']+)'`, 'g'))].map(([, value]) => value!)
  assert.deepEqual(
    valuesOf('path').filter((path) => path !== '/'),
    CONSOLE_SCREENS.map((name) => `/${name}`),
  )
  assert.deepEqual(
    valuesOf('needs').filter((name) => !(PERMISSION_NAMES as string[]).includes(name)),
    [],
  )
})

test('no text becomes markup or code', () => {
  const wrong = files.filter(({ text }) =>
    /dangerouslySetInnerHTML|innerHTML|outerHTML|\beval\(|new Function/.test(text),
  )
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  )
})

function mayImport(from: string, to: string): boolean {
  const [here, there] = [from, to].map((path) => path.split('/').slice(1, -1))
  if (here![0] === 'screens' && there![0] === 'screens') return here![1] === there![1]
  const [folder, other] = [here![0] ?? '.', there![0] ?? '.']
  return folder === other || CONSOLE_FOLDERS[folder]!.split(' ').includes(other)
}

function importsOf(path: string, text: string): { target: string; isType: boolean }[] {
  return [...text.matchAll(/(import type [^;]*?from|from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, how, target]) => ({
    target: normalize(join(dirname(path), target!)),
    isType: how!.startsWith('import type'),
  }))
}
