import { createHash, createHmac } from 'node:crypto'
import type { WireRequest } from '../contract/wire.ts'

const ALGORITHM = 'AWS4-HMAC-SHA256'

export type AwsSigner = {
  service: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

/**
 * The request with its Signature Version 4. Host, time, session token and content type are signed: what a proxy may
 * add or change is not. The path is signed encoded once more than it is sent, as every service but S3 wants it.
 */
export function signAws(request: WireRequest, signer: AwsSigner, now: Date): WireRequest {
  const { sessionToken } = signer
  const time = timeText(now)
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-date': time,
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
  }
  const signed = signedHeaders(headers, new URL(request.url).host)
  const scope = `${time.slice(0, 8)}/${signer.region}/${signer.service}/aws4_request`
  const text = [ALGORITHM, time, scope, sha256(canonicalRequest(request, signed))].join('\n')
  const signature = hmac(signingKey(signer, time), text).toString('hex')
  const names = signed.map(([name]) => name).join(';')
  const credential = `${signer.accessKeyId}/${scope}`
  const authorization = `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`
  return { ...request, headers: { ...headers, authorization } }
}

type Header = [name: string, value: string]

const SIGNED: ReadonlySet<string> = new Set(['content-type', 'x-amz-date', 'x-amz-security-token'])

function signedHeaders(headers: Record<string, string>, host: string): Header[] {
  return Object.entries({ ...headers, host })
    .map(([name, value]): Header => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')])
    .filter(([name]) => SIGNED.has(name) || name === 'host')
    .sort(([a], [b]) => compare(a, b))
}

function canonicalRequest({ method, url, body }: WireRequest, signed: Header[]): string {
  const { pathname, search } = new URL(url)
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('')
  const names = signed.map(([name]) => name).join(';')
  return [method, canonicalPath(pathname), canonicalQuery(search), lines, names, sha256(body ?? '')].join('\n')
}

function canonicalPath(path: string): string {
  return path.replace(/\/+/g, '/').split('/').map(encode).join('/')
}

function canonicalQuery(search: string): string {
  const fields = [...new URLSearchParams(search)].map(([name, value]) => [encode(name), encode(value)] as const)
  return fields
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

function signingKey({ secretAccessKey, region, service }: AwsSigner, time: string): Buffer {
  const steps = [time.slice(0, 8), region, service, 'aws4_request']
  return steps.reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`))
}

/** Bare code units: the order of a locale would break the signature. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

function hmac(key: Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

/** `20150830T123600Z` */
function timeText(now: Date): string {
  return now.toISOString().replace(/[-:]|\.\d+/g, '')
}
