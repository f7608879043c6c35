import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { contentSecret, type StoredContent } from '../../platform/store/contents/contents.ts'
import { MB } from '../../base/units/units.ts'

// Content in blobs, encrypted with a key of its project. The key is a secret of the installation.

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const MAX_BYTES = 16 * MB

type ContentRef = Pick<StoredContent, 'id' | 'project'>

/** The key of a project. The first content of a project makes it. */
export async function keyFor(project: string, secrets: Pick<Secrets, 'ensure'>): Promise<Buffer> {
  const { value } = await secrets.ensure(contentSecret(project), () => randomBytes(KEY_BYTES).toString('hex'))
  return Buffer.from(value, 'hex')
}

type Storage = { key: Buffer; blobs: BlobStore }

export async function writeContent(ref: ContentRef, value: unknown, { key, blobs }: Storage): Promise<void> {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(nameOf(ref))
  const sealed = Buffer.concat([nonce, cipher.update(JSON.stringify(value)), cipher.final(), cipher.getAuthTag()])
  await blobs.write(ref.id, inOnePiece(sealed), { maxBytes: MAX_BYTES, owner: ref.project })
}

/** Undefined if the bytes are not there yet or any more, or if the key of the project is another one or gone. */
export async function readContent(ref: ContentRef, secrets: Secrets, blobs: BlobStore): Promise<unknown> {
  const secret = await secrets.find(contentSecret(ref.project))
  const bytes = secret && (await blobs.read(ref.id, undefined, ref.project))
  if (!bytes) return undefined
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return opened(Buffer.concat(pieces), Buffer.from(secret.value, 'hex'), ref)
}

function opened(sealed: Buffer, key: Buffer, ref: ContentRef): unknown {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES)).setAAD(nameOf(ref))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    return JSON.parse(text.toString('utf8'))
  } catch {
    return undefined
  }
}

/** The content of one call cannot be passed off as that of another. */
function nameOf({ id, project }: ContentRef): Buffer {
  return Buffer.from(`${contentSecret(project)}:${id}`)
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
