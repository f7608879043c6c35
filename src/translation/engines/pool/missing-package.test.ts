import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { MissingPackage, missingPackage } from './missing-package.ts'

const require = createRequire(import.meta.url)

test('a package that is not installed is known by its name, however it was asked for', async () => {
  const NAMES = { 'no-such.package': 'no-such.package', '@no/such-package/data.gz': '@no/such-package' }
  for (const [requested, name] of Object.entries(NAMES)) {
    assert.equal(missingPackage(await import(requested).catch((error: unknown) => error)), name)
    assert.equal(missingPackage(thrownBy(() => require(requested))), name)
    assert.equal(missingPackage(thrownBy(() => require.resolve(requested))), name)
  }
})

test('a package may also be named by who asked for it', () => {
  assert.equal(missingPackage(new MissingPackage('sharp')), 'sharp')
})

test('anything else is no missing package', async () => {
  const path = './no-such-file.ts'
  assert.equal(missingPackage(await import(path).catch((error: unknown) => error)), undefined)
  assert.equal(missingPackage(new Error("Cannot find package 'x'")), undefined)
  assert.equal(missingPackage('thrown'), undefined)
})

function thrownBy(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}
