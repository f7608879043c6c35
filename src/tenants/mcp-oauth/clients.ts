import { isRecord, listOf, textOf } from '../../base/schema/record.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { isLoopback, isRedirectUri } from './redirect-uris.ts'

// Programs that ask people for access. One that registers gets what it said about itself as its id, sealed with the key of the
// installation: nothing is stored, so registering fills no table, and every process knows the id. A newer one has a document at an
// address of its own, which is its id.

export type OAuthClient = { id: string; name: string; redirectUris: readonly string[] }

type Sealing = Pick<Secrets, 'sealed' | 'opened'>

const NAME = 'mcp-client'
const MAX_URIS = 10
const MAX_ID_CHARS = 2_000
const MAX_NAME_CHARS = 100

/** A problem has the error code of RFC 7591. */
type Registered = OAuthClient | 'invalid_redirect_uri' | 'invalid_client_metadata'

export function registerClient(metadata: unknown, secrets: Sealing): Registered {
  const client = clientIn(metadata)
  if (!client) return 'invalid_redirect_uri'
  const { sealed: id } = secrets.sealed(NAME, JSON.stringify(client))
  return id.length > MAX_ID_CHARS ? 'invalid_client_metadata' : { id, ...client }
}

/** Undefined if it was not registered with this key of the installation. */
export function registeredClient(id: string, secrets: Sealing): OAuthClient | undefined {
  if (id.length > MAX_ID_CHARS) return undefined
  try {
    const client = clientIn(JSON.parse(secrets.opened({ name: NAME, sealed: id, fingerprint: '' })))
    return client && { id, ...client }
  } catch {
    return undefined
  }
}

/** Over https, so that no network in between can say where a program may be sent back to. */
export function isDocumentId(id: string): boolean {
  const url = id.length <= MAX_ID_CHARS && /^https?:\/\//.test(id) ? URL.parse(id) : null
  return (
    url !== null &&
    url.href === id &&
    (url.protocol === 'https:' || isLoopback(url)) &&
    url.pathname !== '/' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === ''
  )
}

/** What the document at the address of a program says about it. It has to name that address itself. */
export function documentedClient(id: string, document: string): OAuthClient | undefined {
  const metadata: unknown = tryParse(document)
  if (!isRecord(metadata) || metadata.client_id !== id) return undefined
  const client = clientIn(metadata)
  return client && { id, ...client }
}

/** The members have the names of the standard in what programs send, and in what is sealed. */
function clientIn(
  metadata: unknown,
): (Omit<OAuthClient, 'id'> & { redirect_uris: readonly string[]; client_name: string }) | undefined {
  if (!isRecord(metadata)) return undefined
  const uris = listOf(metadata.redirect_uris)
  const redirectUris = uris.filter((uri) => typeof uri === 'string')
  const isUsable = redirectUris.length > 0 && redirectUris.length === uris.length && uris.length <= MAX_URIS
  if (!isUsable || !redirectUris.every(isRedirectUri)) return undefined
  const name = shownName(textOf(metadata.client_name))
  return { name, redirectUris, redirect_uris: redirectUris, client_name: name }
}

/** It is only a claim, and one short line. */
function shownName(text: string): string {
  return (
    text
      .replace(/\p{C}+/gu, ' ')
      .trim()
      .slice(0, MAX_NAME_CHARS)
      .toWellFormed() || 'A program without a name'
  )
}
