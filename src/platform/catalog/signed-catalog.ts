import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { recordOf } from '../../base/schema/record.ts'
import { MB } from '../../base/units/units.ts'

// A catalog that is published apart from the program. Its bytes are signed as they are, so signer and verifier need no
// canonical form of JSON. The signature covers a line that says what the text is, so that no other signed text can be passed
// off as one.

const PURPOSE = 'gatehouse catalog, version 1\n'
const RAW_KEY_BYTES = 32
/** The prefix of a raw Ed25519 key in the form that Node reads. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
/** The catalog in the package takes half a megabyte. */
export const MAX_CATALOG_BYTES = 8 * MB

/** Something is wrong with a catalog. The message says what, for operators. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError'
}

/** Returns the text of the signed document. */
export function signCatalog(catalog: string, privateKey: KeyObject): string {
  const signature = sign(null, signedBytes(catalog), privateKey).toString('base64')
  return `${JSON.stringify({ catalog, signature })}\n`
}

/** Returns the text that was signed, if one of these keys has signed it. */
export function openSignedCatalog(document: string, publicKeys: readonly string[]): string {
  if (Buffer.byteLength(document) > MAX_CATALOG_BYTES)
    throw new CatalogError(`the catalog is larger than ${MAX_CATALOG_BYTES} bytes`)
  const { catalog, signature } = membersOf(document)
  if (typeof catalog !== 'string' || typeof signature !== 'string')
    throw new CatalogError('this is not a signed catalog: it should be JSON with catalog and signature')
  const bytes = signedBytes(catalog)
  const isSigned = publicKeys.some((key) => verify(null, bytes, readPublicKey(key), Buffer.from(signature, 'base64')))
  if (!isSigned) throw new CatalogError('the signature of the catalog is not by the key of CATALOG_PUBLIC_KEY')
  return catalog
}

export function digestOfCatalog(document: string): string {
  return createHash('sha256').update(document).digest('hex')
}

/** Ed25519: the 32 bytes of the key in base64, or PEM. Throws if it is neither. */
export function readPublicKey(text: string): KeyObject {
  const raw = Buffer.from(text, 'base64')
  const isRaw = /^[A-Za-z0-9+/]{43}=?$/.test(text) && raw.length === RAW_KEY_BYTES
  const key = createPublicKey(
    isRaw ? { key: Buffer.concat([SPKI_PREFIX, raw]), format: 'der', type: 'spki' } : text.replaceAll('\\n', '\n'),
  )
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key')
  return key
}

/** The form that CATALOG_PUBLIC_KEY takes. */
export function writePublicKey(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length).toString('base64')
}

function signedBytes(catalog: string): Buffer {
  return Buffer.from(PURPOSE + catalog)
}

function membersOf(document: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(document))
  } catch {
    return {}
  }
}
