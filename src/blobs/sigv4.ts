import { createHash, createHmac } from 'node:crypto'

// AWS Signature Version 4, for any service: a signature in headers for a request we send, or in the query for an
// address we hand out.

export const EMPTY_PAYLOAD_HASH = sha256Hex('')
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'

const ALGORITHM = 'AWS4-HMAC-SHA256'

export type AwsCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined }

export type SigningScope = { credentials: AwsCredentials; region: string; service: string; now: Date }

export type Signable = {
  method: string
  url: string
  /** All of them are signed, so name only those that are sent as they stand here. `host` comes from the URL. */
  headers?: Record<string, string>
  /** Hex SHA-256 of the body, or one of the words that AWS takes instead (`UNSIGNED-PAYLOAD`, `STREAMING-…`). */
  payloadHash: string
}

/** The headers to send: those given, and the ones that carry the signature. */
export function signRequest(request: Signable, scope: SigningScope): Record<string, string> {
  const headers = { ...request.headers, ...signingHeaders(request, scope) }
  const url = new URL(request.url)
  const signed = signedHeaders({ ...headers, host: url.host })
  const signature = sign(canonicalRequest(request, url, canonicalQuery(url.search), signed), scope)
  const credential = `${scope.credentials.accessKeyId}/${scopeOf(scope)}`
  const authorization = `${ALGORITHM} Credential=${credential}, SignedHeaders=${signed.names}, Signature=${signature}`
  return { ...headers, authorization }
}

/** An address that anyone may use for so long, without credentials. */
export function presignUrl(request: { method: string; url: string }, scope: SigningScope, seconds: number): string {
  const url = new URL(request.url)
  const signed = signedHeaders({ host: url.host })
  const query = canonicalQuery(`${url.search}&${signingQuery(scope, seconds, signed.names)}`)
  const text = canonicalRequest({ ...request, payloadHash: UNSIGNED_PAYLOAD }, url, query, signed)
  const path = scope.service === 's3' ? canonicalPath(url.pathname, scope.service) : url.pathname
  return `${url.origin}${path}?${query}&X-Amz-Signature=${sign(text, scope)}`

  function canonicalRequest(signable: Signable, address: URL, sorted: string, headers: SignedHeaders) {
    return toCanonicalRequest(signable, canonicalPath(address.pathname, scope.service), sorted, headers)
  }
}
