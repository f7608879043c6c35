import { ExpiringMap } from '../../../../base/fairness/expiring-map.ts'
import { KB, MINUTE_MS } from '../../../../base/units/units.ts'
import { problem, Problem } from '../../../../contract/problems.ts'
import { readText } from '../../../../platform/net/read-text.ts'
import type { Secrets } from '../../../../platform/secrets/secrets.ts'
import {
  documentedClient,
  isDocumentId,
  type OAuthClient,
  registeredClient,
} from '../../../../tenants/mcp-oauth/clients.ts'
import { countStart } from '../../../../tenants/sign-in/attempts.ts'
import type { HttpServices } from '../../../route.ts'

const MAX_DOCUMENT_BYTES = 16 * KB
const FETCH_MS = 5_000
const OK = 200
const LIFE_MS = 10 * MINUTE_MS
const MAX_CLIENTS = 1_000
const OF_ALL = ''

/** Documents of programs that were read a moment ago. They hold nothing secret. */
const known = new WeakMap<object, ExpiringMap<OAuthClient>>()

/** Undefined if there is no such program, or it says nothing usable about itself. */
export async function findClient(
  id: string,
  { ip, signal, secrets }: { ip: string; signal: AbortSignal; secrets: Secrets },
  services: HttpServices,
): Promise<OAuthClient | undefined> {
  if (!isDocumentId(id)) return registeredClient(id, secrets)
  const documents = documentsOf(services)
  const before = documents.get(OF_ALL, id)
  if (before) return before
  await countStart(services.tenants.db, ip)
  const client = await fetchClient(id, signal, services)
  if (client) documents.set(OF_ALL, id, client, LIFE_MS)
  return client
}

function documentsOf({ tenants, calls }: HttpServices): ExpiringMap<OAuthClient> {
  const documents = known.get(tenants.keyCache) ?? new ExpiringMap<OAuthClient>(MAX_CLIENTS, calls.monotonic)
  known.set(tenants.keyCache, documents)
  return documents
}

/** The guard for addresses of callers decides whether it may be reached. A document that is elsewhere by now is none. */
async function fetchClient(id: string, signal: AbortSignal, { calls }: HttpServices): Promise<OAuthClient | undefined> {
  const loc = ['query', 'client_id']
  try {
    const asked = { url: id, maxBytes: MAX_DOCUMENT_BYTES, timeoutMs: FETCH_MS, signal }
    const { status, url, body } = await calls.callerUrls.get(asked, loc)
    const text = await calls.callerUrls.read(body, loc, (bytes) => readText(bytes, MAX_DOCUMENT_BYTES))
    return status === OK && url === id ? documentedClient(id, text) : undefined
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** What seals requests and registrations. It is there once the store has been reached. */
export function secretsOf({ tenants }: HttpServices): Secrets {
  const opened = tenants.secrets.current
  if (!opened) throw problem('unavailable')
  return opened
}
