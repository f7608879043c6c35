import { readFile } from 'node:fs/promises'
import type { JwtIssuer } from '../../platform/config/auth/auth.ts'
import { textOf } from '../../base/schema/record.ts'
import type { IssuerDocuments } from './issuer-documents.ts'

const MAX_BYTES = 512 * 1024

/** The document with the public keys of an issuer: where the config file says, or where the issuer itself says. */
export async function readKeys({ issuer, keys }: Pick<JwtIssuer, 'issuer' | 'keys'>, documents: IssuerDocuments) {
  if (keys === undefined) return documents.read(await discoverKeys(issuer, documents))
  if ('inline' in keys) return keys.inline
  return 'url' in keys ? documents.read(keys.url) : readDocument(keys.file)
}

async function readDocument(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined || text.length > MAX_BYTES) throw new Error('the file with the keys cannot be read')
  return JSON.parse(text)
}

/** An issuer that calls itself by another name could hand out the keys of another issuer. */
async function discoverKeys(issuer: string, documents: IssuerDocuments): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { issuer: named, jwks_uri: keys } = (await documents.read(address)) as Record<string, unknown>
  if (named !== issuer) throw new Error('the issuer calls itself by another name')
  return textOf(keys)
}
