import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { MINUTE_MS } from '../../src/base/units/units.ts'

// Checks a request as Amazon would, from the raw request line and headers. Shares no code with the signer that it checks.

const MAX_SKEW_MS = 15 * MINUTE_MS

export type ServerKeys = { accessKeyId: string; secretAccessKey: string; sessionToken?: string; region: string }

/** The S3 error code for what is wrong with the request, or undefined if it is valid. */
export function refusalOf(request: IncomingMessage, body: Buffer, keys: ServerKeys, now: Date): string | undefined {
  const [path = '', search = ''] = (request.url ?? '').split('?') as [string, string?]
  const fields = search
    .split('&')
    .filter((field) => field !== '')
    .map((field) => (field.includes('=') ? field : `${field}=`))
  return fields.some((field) => field.startsWith('X-Amz-Signature='))
    ? checkQuery(request, path, fields, keys, now)
    : checkHeaders(request, path, fields, body, keys, now)
}

function checkHeaders(
  request: IncomingMessage,
  path: string,
  fields: string[],
  body: Buffer,
  keys: ServerKeys,
  now: Date,
): string | undefined {
  const pattern = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const [, credential = '', names = '', signature = ''] = pattern.exec(request.headers.authorization ?? '') ?? []
  const time = header(request, 'x-amz-date')
  const hash = header(request, 'x-amz-content-sha256')
  if (signature === '') return 'AccessDenied'
  if (header(request, 'x-amz-security-token') !== (keys.sessionToken ?? '')) return 'InvalidToken'
  if (Math.abs(readTime(time) - now.getTime()) > MAX_SKEW_MS) return 'RequestTimeTooSkewed'
  if (hash !== createHash('sha256').update(body).digest('hex')) return 'XAmzContentSHA256Mismatch'
  for (const name of Object.keys(request.headers))
    if (/^(host|range|content-type|x-amz-.*)$/.test(name) && !names.split(';').includes(name)) return 'AccessDenied'
  const wanted = { request, path, query: [...fields].sort().join('&'), names, hash, time, credential }
  return compareSignature(wanted, signature, keys, 's3')
}

function checkQuery(
  request: IncomingMessage,
  path: string,
  fields: string[],
  keys: ServerKeys,
  now: Date,
): string | undefined {
  const options = new Map(fields.map((field) => field.split('=').map(decodeURIComponent) as [string, string]))
  const time = options.get('X-Amz-Date') ?? ''
  const signature = options.get('X-Amz-Signature') ?? ''
  if ((options.get('X-Amz-Security-Token') ?? '') !== (keys.sessionToken ?? '')) return 'InvalidToken'
  if (now.getTime() > readTime(time) + Number(options.get('X-Amz-Expires')) * 1000) return 'AccessDenied'
  const query = fields.filter((field) => !field.startsWith('X-Amz-Signature=')).sort()
  const names = options.get('X-Amz-SignedHeaders') ?? ''
  const credential = options.get('X-Amz-Credential') ?? ''
  const wanted = { request, path, query: query.join('&'), names, hash: 'UNSIGNED-PAYLOAD', time, credential }
  return compareSignature(wanted, signature, keys, 's3')
}

type Wanted = {
  request: Pick<IncomingMessage, 'method' | 'headers'>
  path: string
  query: string
  names: string
  hash: string
  time: string
  credential: string
}

/** The part of the check that all services of Amazon share: what is wrong with the signature, if anything. */
export function compareSignature(
  wanted: Wanted,
  signature: string,
  keys: ServerKeys,
  expected: string,
): string | undefined {
  const [accessKeyId, day, region, service, end] = wanted.credential.split('/')
  if (accessKeyId !== keys.accessKeyId) return 'InvalidAccessKeyId'
  if (region !== keys.region || service !== expected || end !== 'aws4_request') return 'AuthorizationHeaderMalformed'
  if (day !== wanted.time.slice(0, 8)) return 'AuthorizationHeaderMalformed'
  const lines = wanted.names.split(';').map((name) => `${name}:${header(wanted.request, name)}\n`)
  const start = `${wanted.request.method}\n${wanted.path}\n${wanted.query}\n`
  const canonical = `${start}${lines.join('')}\n${wanted.names}\n${wanted.hash}`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const text = `AWS4-HMAC-SHA256\n${wanted.time}\n${day}/${region}/${service}/aws4_request\n${digest}`
  let key: Buffer | string = `AWS4${keys.secretAccessKey}`
  for (const step of [day!, region!, service!, 'aws4_request', text])
    key = createHmac('sha256', key).update(step).digest()
  return Buffer.from(signature, 'hex').equals(key as Buffer) ? undefined : 'SignatureDoesNotMatch'
}

function header(request: Wanted['request'], name: string): string {
  return String(request.headers[name] ?? '')
}

export function readTime(time: string): number {
  return Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}
