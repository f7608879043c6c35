import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import { findCatalog, storeCatalog } from './catalogs.ts'
import { readVersions } from './versions.ts'

await onBothStores('the stored catalog', ({ one: db, other }) => {
  test('is replaced only by a newer one, also if two processes store one at once', async () => {
    assert.equal(await findCatalog(db), undefined)
    assert.equal(await storeCatalog(db, catalog(2)), true)
    for (const notNewer of [catalog(1), catalog(2)]) assert.equal(await storeCatalog(other, notNewer), false)
    await Promise.all([storeCatalog(db, catalog(3)), storeCatalog(other, catalog(4))])
    assert.deepEqual(await findCatalog(other), catalog(4))
  })

  test('has another version after every change', async () => {
    const before = await readVersions(db, ['catalog-version'])
    await storeCatalog(db, catalog(1))
    const after = await readVersions(other, ['catalog-version'])
    assert.notEqual(after.get('catalog-version'), before.get('catalog-version'))
  })
})

function catalog(datedAt: number) {
  return { datedAt, digest: `digest ${datedAt}`, content: `content ${datedAt}` }
}
