import { createHash, createHmac } from 'node:crypto'

// AWS Signature Version 4 for any service: a signature in the headers of a request that we send, or in the query of a URL
// that we hand out.

const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'
const ALGORITHM = 'AWS4-HMAC-SHA256'

export type AwsCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined }

export type SigningScope = { credentials: AwsCredentials; region: string; service: string; now: Date }

type Signable = {
  method: string
  url: string
  /** All of these headers are signed, so include only headers that are sent unchanged. `host` comes from the URL. */
  headers?: Record<string, string>
  /** Hex SHA-256 of the body, or one of the words that AWS accepts instead: `UNSIGNED-PAYLOAD`, `STREAMING-…`. */
  payloadHash: string
}

/** Returns the headers to send: those of the request, and those with the signature. */
export function signRequest(request: Signable, scope: SigningScope): Record<string, string> {
  const headers = { ...request.headers, ...signingHeaders(request.payloadHash, scope) }
  const url = new URL(request.url)
  const signed = canonicalHeaders({ ...headers, host: url.host })
  const query = canonicalQuery(url.search)
  const signature = signatureOf({ ...request, path: canonicalPath(url.pathname, scope), query, signed }, scope)
  const credential = `${scope.credentials.accessKeyId}/${scopeText(scope)}`
  const authorization = `${ALGORITHM} Credential=${credential}, SignedHeaders=${signed.names}, Signature=${signature}`
  return { ...headers, authorization }
}

/** Returns a URL that works without credentials for this many seconds. */
export function presignUrl(request: { method: string; url: string }, scope: SigningScope, seconds: number): string {
  const url = new URL(request.url)
  const signed = canonicalHeaders({ host: url.host })
  const query = canonicalQuery(`${url.search}&${signingQuery(scope, seconds)}`)
  const path = canonicalPath(url.pathname, scope)
  const canonical = { method: request.method, payloadHash: UNSIGNED_PAYLOAD, path, query, signed }
  return `${url.origin}${url.pathname}?${query}&X-Amz-Signature=${signatureOf(canonical, scope)}`
}

export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

type SignedHeaders = { names: string; lines: string }
type Canonical = { method: string; path: string; query: string; signed: SignedHeaders; payloadHash: string }

function signatureOf({ method, path, query, signed, payloadHash }: Canonical, scope: SigningScope): string {
  const request = [method, path, query, signed.lines, signed.names, payloadHash].join('\n')
  const text = [ALGORITHM, timeText(scope.now), scopeText(scope), sha256Hex(request)].join('\n')
  return hmac(signingKey(scope), text).toString('hex')
}

function signingKey({ credentials, region, service, now }: SigningScope): Buffer {
  const steps = [dateText(now), region, service, 'aws4_request']
  return steps.reduce<Buffer>(hmac, Buffer.from(`AWS4${credentials.secretAccessKey}`))
}

function signingHeaders(payloadHash: string, { credentials, service, now }: SigningScope): Record<string, string> {
  return {
    'x-amz-date': timeText(now),
    ...(service === 's3' ? { 'x-amz-content-sha256': payloadHash } : {}),
    ...(credentials.sessionToken ? { 'x-amz-security-token': credentials.sessionToken } : {}),
  }
}

function signingQuery(scope: SigningScope, seconds: number): string {
  const { accessKeyId, sessionToken } = scope.credentials
  const fields = {
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${accessKeyId}/${scopeText(scope)}`,
    'X-Amz-Date': timeText(scope.now),
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
    ...(sessionToken ? { 'X-Amz-Security-Token': sessionToken } : {}),
  }
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encode(value)}`)
    .join('&')
}

function canonicalHeaders(headers: Record<string, string>): SignedHeaders {
  const entries = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .sort(([a], [b]) => compare(a, b))
  const names = entries.map(([name]) => name).join(';')
  return { names, lines: entries.map(([name, value]) => `${name}:${value}\n`).join('') }
}

/** S3 signs a path as it is. Every other service signs it with its slashes normalized and encoded once more. */
function canonicalPath(path: string, { service }: SigningScope): string {
  const segments = service === 's3' ? path.split('/').map(decodeURIComponent) : path.replace(/\/+/g, '/').split('/')
  return segments.map(encode).join('/')
}

function canonicalQuery(search: string): string {
  const fields = search.replace(/^\?/, '').split('&').filter(Boolean).map(canonicalField)
  return fields
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

function canonicalField(field: string): [string, string] {
  const cut = field.includes('=') ? field.indexOf('=') : field.length
  return [encode(decodeURIComponent(field.slice(0, cut))), encode(decodeURIComponent(field.slice(cut + 1)))]
}

/** Compares code units, because a locale's order would break the signature. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function hmac(key: Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

function scopeText({ region, service, now }: SigningScope): string {
  return `${dateText(now)}/${region}/${service}/aws4_request`
}

function dateText(now: Date): string {
  return timeText(now).slice(0, 8)
}

/** `20150830T123600Z` */
function timeText(now: Date): string {
  return now.toISOString().replace(/[-:]|\.\d+/g, '')
}
