import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'

const KEY_ID_LENGTH = 16

export type Signer = { keyId: string; sign(body: Uint8Array): Promise<string> }

/** Signs with RSA PKCS1 v1.5, which is deterministic: the same body has the same signature, today and after a restart. */
export function openSigner(privateKey: KeyObject): Signer {
  return { keyId: keyIdOf(privateKey), sign: (body) => signBody(body, privateKey) }
}

/** Names the public key in `X-Service-Key-Id`, so that a receiver knows which one to use while keys change. */
export function keyIdOf(key: KeyObject): string {
  const publicKey = key.type === 'public' ? key : createPublicKey(key)
  return sha256(publicKey.export({ type: 'spki', format: 'der' })).slice(0, KEY_ID_LENGTH)
}

/** What is signed is the text of the hex digest, 64 characters; RSA hashes those once more. */
async function signBody(body: Uint8Array, privateKey: KeyObject): Promise<string> {
  // With a callback the work is done in the thread pool: it would block the event loop for milliseconds.
  const signature = await promisify(sign)('RSA-SHA256', Buffer.from(sha256(body)), privateKey)
  return signature.toString('hex')
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
