import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { timestampKeyOf } from './timestamp-key.ts'

const KEY_ID_LENGTH = 16

/** With a callback, signing runs in the thread pool. Otherwise it would block the event loop for milliseconds. */
const signInPool: (algorithm: string | null, content: Buffer, key: KeyObject) => Promise<Buffer> = promisify(sign)

/** One attempt to send a webhook; `timestamp` is in seconds since 1970. */
type SignedAttempt = { id: string; timestamp: number; body: Uint8Array }

export type Signer = {
  keyId: string
  /** The signature of the body alone, made once. */
  sign(body: Uint8Array): Promise<string>
  /** The signature that Standard Webhooks defines: of the id, the time and the body, made for every attempt. */
  signAttempt(attempt: SignedAttempt): Promise<string>
}

/** Signs with RSA PKCS1 v1.5, which is deterministic: the same body always has the same signature, even after a restart. */
export function openSigner(privateKey: KeyObject): Signer {
  const timestampKey = timestampKeyOf(privateKey)
  return {
    keyId: keyIdOf(privateKey),
    sign: (body) => signBody(body, privateKey),
    signAttempt: (attempt) => signAttempt(attempt, timestampKey),
  }
}

/** Names the public key in `X-Service-Key-Id`, so that a receiver knows which key to use while keys are being rotated. */
function keyIdOf(key: KeyObject): string {
  const publicKey = key.type === 'public' ? key : createPublicKey(key)
  return sha256(publicKey.export({ type: 'spki', format: 'der' })).slice(0, KEY_ID_LENGTH)
}

/** The signed content is the text of the hex digest, 64 characters, which RSA hashes once more. */
async function signBody(body: Uint8Array, privateKey: KeyObject): Promise<string> {
  return (await signInPool('RSA-SHA256', Buffer.from(sha256(body)), privateKey)).toString('hex')
}

/** `v1a,` and the base64 of the Ed25519 signature over `id.timestamp.body`. */
async function signAttempt({ id, timestamp, body }: SignedAttempt, timestampKey: KeyObject): Promise<string> {
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
  return `v1a,${(await signInPool(null, content, timestampKey)).toString('base64')}`
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
