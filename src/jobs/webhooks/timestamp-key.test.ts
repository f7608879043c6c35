import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { test } from 'node:test'
import { sharedPrivateKey } from '../../../test/fakes/signing-key.ts'
import { openSigner } from './signature.ts'
import { timestampKeyOf, timestampPublicKey } from './timestamp-key.ts'

const BODY = Buffer.from('{\n  "text": "é漢😀"\n}')

test('the same RSA key gives the same Ed25519 key, in whichever form the file has it', () => {
  const key = sharedPrivateKey()
  const again = createPrivateKey(key.export({ type: 'pkcs1', format: 'pem' }))
  assert.deepEqual(timestampPublicKey(again), timestampPublicKey(key))
  assert.equal(timestampKeyOf(key).asymmetricKeyType, 'ed25519')
})

test('another RSA key gives another one, and neither reveals the other', () => {
  const [one, other] = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)
  assert.notEqual(timestampPublicKey(one!).standard, timestampPublicKey(other!).standard)
  const seed = timestampKeyOf(one!).export({ type: 'pkcs8', format: 'der' }).subarray(-32)
  assert.ok(!one!.export({ type: 'pkcs8', format: 'der' }).includes(seed))
})

test('an attempt is signed over its id, its time and its body', async () => {
  const key = sharedPrivateKey()
  const signer = openSigner(key)
  const attempt = { id: 'msg_1', timestamp: 1_700_000_000, body: BODY }
  const signature = await signer.signAttempt(attempt)
  const [version, base64 = ''] = signature.split(',')
  const fits = (content: string) => {
    const publicKey = createPublicKey(timestampPublicKey(key).pem)
    return verify(null, Buffer.from(content), publicKey, Buffer.from(base64, 'base64'))
  }
  assert.equal(version, 'v1a')
  assert.ok(fits(`msg_1.1700000000.${BODY}`))
  for (const wrong of [`msg_2.1700000000.${BODY}`, `msg_1.1700000001.${BODY}`, `msg_1.1700000000.${BODY} `])
    assert.ok(!fits(wrong), wrong)
  assert.equal(await signer.signAttempt(attempt), signature)
  assert.notEqual(await signer.signAttempt({ ...attempt, timestamp: attempt.timestamp + 1 }), signature)
})
