import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { canonicalJson } from '../../translation/json/canonical-json.ts'
import { type Checkpoint, insertCheckpoint, lastCheckpoint } from '../../platform/store/audit/checkpoints.ts'
import { auditHead } from '../../platform/store/audit/read.ts'
import type { Database, Statement } from '../../platform/store/database.ts'
import type { CheckSignature } from './verify.ts'
import { HOUR_MS } from '../../base/units/units.ts'

// A checkpoint says what the log was at a moment: the number and the hash of its last row. It is signed and leaves the
// installation, so that an administrator of the database cannot change it.

/** A checkpoint is due after so many rows, or an hour after the last one, if there are new rows. */
const ROWS = 1_000

export type Signer = { keyId: string; sign(body: Uint8Array): Promise<string> }

/** What has to be written together with a checkpoint, so that it leaves the installation. */
export type Shipping = (checkpoint: Checkpoint) => Promise<Statement[]>

/** Writes a checkpoint if one is due. Of several processes, one does it. */
export async function writeCheckpoint(
  db: Database,
  signer: Signer,
  now: number,
  ship: Shipping = async () => [],
): Promise<Checkpoint | undefined> {
  const head = await auditHead(db)
  const last = await lastCheckpoint(db)
  if (!head || !isDue(head.seq, last, now)) return undefined
  const content = { seq: head.seq, hash: head.hash, at: now }
  const checkpoint = { ...content, keyId: signer.keyId, signature: await signer.sign(signedBytes(content)) }
  return (await insertCheckpoint(db, checkpoint, await ship(checkpoint))) ? checkpoint : undefined
}

/** With a clock that was set back, the next one waits for rows. */
function isDue(seq: number, last: Checkpoint | undefined, now: number): boolean {
  if (!last) return true
  return seq - last.seq >= ROWS || (seq > last.seq && now - last.at >= HOUR_MS)
}

/** The checkpoint as it is sent and logged. */
export function checkpointBody({ seq, hash, at, keyId, signature }: Checkpoint) {
  return { seq, hash, at, key_id: keyId, signature }
}

/** Reads what `checkpointBody` has made, also inside of a line of the log or of a webhook. */
export function readCheckpoint(value: unknown): Checkpoint | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { seq, hash, at, key_id: keyId, signature, checkpoint } = value as Record<string, unknown>
  if (checkpoint !== undefined) return readCheckpoint(checkpoint)
  if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(at)) return undefined
  if (typeof hash !== 'string' || typeof keyId !== 'string' || typeof signature !== 'string') return undefined
  return { seq: seq as number, hash, at: at as number, keyId, signature }
}

/** Checks with the public keys (PEM) that are known; a checkpoint names the one that has signed it. */
export function signatureCheck(pems: readonly string[]): CheckSignature {
  const keys = new Map(pems.map((pem) => createPublicKey(pem)).map((key) => [keyIdOf(key), key]))
  return (checkpoint) => {
    const key = keys.get(checkpoint.keyId)
    return key && isSigned(checkpoint, key)
  }
}

/** As webhooks are signed: RSA over the text of the hex digest of the bytes. */
function isSigned({ seq, hash, at, signature }: Checkpoint, key: KeyObject): boolean {
  const content = Buffer.from(sha256(signedBytes({ seq, hash, at })))
  return verify('RSA-SHA256', content, key, Buffer.from(signature, 'hex'))
}

function signedBytes(content: Pick<Checkpoint, 'seq' | 'hash' | 'at'>): Buffer {
  const { seq, hash, at } = content
  return Buffer.from(canonicalJson({ seq, hash, at }))
}

const KEY_ID_CHARS = 16

/** The name of a key in the headers of webhooks. */
function keyIdOf(key: KeyObject): string {
  return sha256(key.export({ type: 'spki', format: 'der' })).slice(0, KEY_ID_CHARS)
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
