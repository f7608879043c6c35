import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { newKey } from '../../../../test/fakes/new-key.ts'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import { MAX_OVERLAP_SECONDS } from '../../../contract/admin/keys.ts'
import { findKey, findKeysByDigest, insertKey, revokeKey, type StoredKey, touchKeys } from './keys.ts'
import { rotateKey } from './rotate-key.ts'
import { updateKey } from './update-key.ts'

const secret = () => ({ digest: randomUUID().replaceAll('-', '').repeat(2), last4: 'wxyz' })

await onBothStores('a key that is changed', ({ one: db, other }) => {
  test('is found by its new secret and by the former ones, and stays the same key', async () => {
    const key = (await insertKey(db, newKey({ user: 'ann', scopes: ['chat'], allowedIps: ['10.0.0.0/8'] })))!
    await touchKeys(db, [{ id: key.id, at: 77 }])
    const next = secret()
    const rotated = (await rotateKey(db, key.id, next, 60))!
    const { digest, last4, updatedAt, formerSecrets, lastUsedAt, ...same } = rotated
    assert.deepEqual([digest, last4, lastUsedAt], [next.digest, next.last4, 77])
    assert.deepEqual(same, lastingParts(key))
    assert.deepEqual(
      formerSecrets.map(({ digest }) => digest),
      [key.digest],
    )
    assert.equal(formerSecrets[0]!.validUntil - updatedAt >= 59_000, true)
    for (const one of [key.digest, next.digest]) assert.deepEqual(await findKeysByDigest(other, [one]), [rotated])
    assert.equal((await findKeysByDigest(other, [key.digest, next.digest])).length, 1)
  })

  test('has several former secrets, and each rotation shortens the time of all of them', async () => {
    const key = (await insertKey(db, newKey()))!
    const [second, third] = [secret(), secret()]
    await rotateKey(db, key.id, second, 3_600)
    const long = (await rotateKey(db, key.id, third, 7_200))!
    const lengths = byDigest(long)
    assert.ok(lengths.get(key.digest)! < lengths.get(second.digest)!)
    const short = (await rotateKey(db, key.id, secret(), 0))!
    assert.deepEqual(new Set(byDigest(short).keys()), new Set([key.digest, second.digest, third.digest]))
    for (const { validUntil } of short.formerSecrets) assert.ok(validUntil <= short.updatedAt)
  })

  test('forgets a former secret only when no process can still take it for valid', async () => {
    const key = (await insertKey(db, newKey()))!
    await rotateKey(db, key.id, secret(), MAX_OVERLAP_SECONDS)
    const ended = (ms: number) => db.query('UPDATE former_secrets SET valid_until = now_ms() - $1', [ms])
    await ended(MAX_OVERLAP_SECONDS * 1_000 - 60_000)
    assert.equal((await rotateKey(db, key.id, secret(), 0))!.formerSecrets.length, 2)
    await ended(MAX_OVERLAP_SECONDS * 1_000 + 60_000)
    assert.equal((await rotateKey(db, key.id, secret(), 0))!.formerSecrets.length, 1)
  })

  test('is rotated by two at once one after the other, and no secret gets lost', async () => {
    const key = (await insertKey(db, newKey()))!
    const secrets = Array.from({ length: 6 }, secret)
    await Promise.all(secrets.map((next, index) => rotateKey(index % 2 ? db : other, key.id, next, 60)))
    const last = (await findKey(db, key.id))!
    const known = new Set([last.digest, ...last.formerSecrets.map(({ digest }) => digest)])
    assert.deepEqual(known, new Set([key.digest, ...secrets.map(({ digest }) => digest)]))
  })

  test('changes in what is named only, and not at all once it is revoked', async () => {
    const key = (await insertKey(db, newKey({ scopes: ['chat'], expiresAt: 9 })))!
    const changed = (await updateKey(db, key.id, { name: 'other', allowedIps: ['10.0.0.0/8'], expiresAt: null }))!
    assert.deepEqual(
      { ...changed, updatedAt: 0 },
      { ...key, name: 'other', allowedIps: ['10.0.0.0/8'], expiresAt: null, updatedAt: 0 },
    )
    const again = (await updateKey(db, key.id, { scopes: null, allowedIps: null, region: 'eu' }))!
    assert.deepEqual([again.scopes, again.allowedIps, again.region, again.name], [null, null, 'eu', 'other'])
    assert.equal((await updateKey(db, key.id, {}))!.name, 'other')
    const revoked = await revokeKey(db, key.id)
    assert.equal(await updateKey(db, key.id, { name: 'third' }), undefined)
    assert.equal(await rotateKey(db, key.id, secret(), 60), undefined)
    assert.deepEqual(await findKey(db, key.id), revoked)
    assert.equal(await updateKey(db, randomUUID(), { name: 'x' }), undefined)
    assert.equal(await rotateKey(db, randomUUID(), secret(), 1), undefined)
  })
})

function lastingParts({ digest, last4, updatedAt, formerSecrets, lastUsedAt, ...rest }: StoredKey) {
  return rest
}

function byDigest({ formerSecrets }: StoredKey): Map<string, number> {
  return new Map(formerSecrets.map(({ digest, validUntil }) => [digest, validUntil]))
}
