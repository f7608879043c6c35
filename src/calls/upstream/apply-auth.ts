import { asBuffer } from '../../base/bytes/as-buffer.ts'
import type { WireRequest } from '../../translation/wire/wire.ts'
import type { Proof } from '../../translation/tasks/feature.ts'

/** Whether the adapter says itself where the secret goes. */
export function isPlaced({ headers, query, fields }: Proof): boolean {
  return Boolean(headers ?? query ?? fields)
}

/** Puts the secret where the adapter wants it: in headers, in the query, or in fields of the body. */
export function applyAuth(request: WireRequest, proof: Proof, secret: string): WireRequest {
  const { method, url, headers, body } = request
  const fields = filled(proof.fields, secret)
  return {
    method,
    url: withQuery(url, filled(proof.query, secret)),
    headers: { ...headers, ...Object.fromEntries(filled(proof.headers, secret)) },
    body: fields.length === 0 ? body : withFields(body ?? '', headers['content-type'] ?? '', fields),
  }
}

type Pair = [name: string, value: string]

function filled(templates: Readonly<Record<string, string>> = {}, secret: string): Pair[] {
  const parts = secret.split(':')
  return Object.entries(templates).map(([name, template]) => {
    const value = template.replace(/\{secret(?:\.(\d))?\}/g, (_, part?: string) => {
      return part === undefined ? secret : (parts[Number(part) - 1] ?? '')
    })
    return [name, value]
  })
}

function withQuery(url: string, pairs: Pair[]): string {
  if (pairs.length === 0) return url
  return `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams(pairs)}`
}

function withFields(body: string | Uint8Array, type: string, pairs: Pair[]): string | Uint8Array {
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(type)?.[1]
  if (boundary) return Buffer.concat([Buffer.from(pairs.map((pair) => formPart(boundary, pair)).join('')), bytes(body)])
  const text = bytes(body).toString('utf8')
  if (type.startsWith('application/x-www-form-urlencoded'))
    return [new URLSearchParams(pairs).toString(), text].filter(Boolean).join('&')
  return JSON.stringify({ ...JSON.parse(text || '{}'), ...Object.fromEntries(pairs) })
}

function formPart(boundary: string, [name, value]: Pair): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
}

function bytes(body: string | Uint8Array): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : asBuffer(body)
}
