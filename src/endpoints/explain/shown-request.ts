import { asBuffer } from '../../base/bytes/as-buffer.ts'
import type { AddressCredential } from '../../platform/config/address-credential.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { isRecord } from '../../base/schema/record.ts'
import type { WireRequest } from '../../translation/wire/wire.ts'
import type { StandIns } from './stand-ins.ts'
import { hasSecret } from './without-secrets.ts'

/** A request to a provider as operators see it: without credentials, dates and boundaries of forms, and with names of files. */
type ShownRequest = { method: string; url: string; headers: Record<string, string>; body: unknown }

const FORM = /^multipart\/form-data;\s*boundary="?([^";]+)"?/i

/** What is left out: secrets in the operator's address, and the content of files. */
type Hidden = { address: AddressCredential | undefined; files: StandIns }

export async function shownRequest(request: WireRequest, { address, files }: Hidden): Promise<ShownRequest> {
  const { method, url, headers } = request
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  return {
    method,
    url: shownUrl(url, address),
    headers: shownHeaders(headers, address),
    body: shownBody(await bytesOf(request), type, files),
  }
}

/** The version of an API is not secret. */
function shownUrl(url: string, address: AddressCredential | undefined): string {
  const [path, query] = splitOnce(url, '?')
  if (query === undefined) return url
  const secrets = (address?.query ?? '').split('&').filter((pair) => !pair.startsWith('api-version='))
  const shownPairs = query.split('&').filter((pair) => !hasSecret(pair) && !secrets.includes(pair))
  return shownPairs.length === 0 ? path : `${path}?${shownPairs.join('&')}`
}

function shownHeaders(headers: WireRequest['headers'], address: AddressCredential | undefined) {
  const shown = Object.entries(headers).filter(([, value]) => value !== address?.basic && !isProof(value))
  return Object.fromEntries(shown.map(([name, value]) => [name, FORM.test(value) ? 'multipart/form-data' : value]))
}

/** Basic credentials are encoded. */
function isProof(value: string): boolean {
  if (hasSecret(value)) return true
  const [, base64] = /^Basic ([\w+/=]+)$/i.exec(value) ?? []
  return base64 !== undefined && hasSecret(Buffer.from(base64, 'base64').toString('utf8'))
}

async function bytesOf({ body, source }: WireRequest): Promise<Buffer | undefined> {
  if (!source) return body === null ? undefined : typeof body === 'string' ? Buffer.from(body) : asBuffer(body)
  const chunks: Uint8Array[] = []
  for await (const chunk of source.read()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** JSON as it is, a form as its parts, any other text as a text. */
function shownBody(bytes: Buffer | undefined, type: string, files: StandIns): unknown {
  if (bytes === undefined) return null
  const [, boundary] = FORM.exec(type) ?? []
  if (boundary !== undefined) {
    const parts = partsOf(bytes, boundary).map((part) => shownPart(part, files))
    return parts.filter(({ content }) => !hasSecret(content))
  }
  const file = files.nameOf(bytes)
  if (file !== undefined) return file
  if (!isText(bytes)) return sizeOf(bytes)
  const text = files.shownIn(bytes.toString('utf8'))
  return withoutSecrets(tryParse(text)) ?? pairsWithoutSecrets(text)
}

type Part = { name: string; filename: string | undefined; type: string | undefined; content: Buffer }

function shownPart({ name, filename, type, content }: Part, files: StandIns) {
  const about = { name, ...(filename !== undefined && { filename }), ...(type !== undefined && { type }) }
  const text = filename === undefined ? files.shownIn(content.toString('utf8')) : undefined
  return { ...about, content: text ?? files.nameOf(content) ?? sizeOf(content) }
}

/** Some providers want their key among the fields of the body. */
function withoutSecrets(value: unknown): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, one]) => typeof one !== 'string' || !hasSecret(one)))
}

function pairsWithoutSecrets(text: string): string {
  return hasSecret(text)
    ? text
        .split('&')
        .filter((pair) => !hasSecret(pair))
        .join('&')
    : text
}

function sizeOf({ length }: Buffer): string {
  return `[${length} bytes]`
}

function isText(bytes: Buffer): boolean {
  return !bytes.includes(0) && Buffer.from(bytes.toString('utf8')).equals(bytes)
}

/** The parts of a form that the gateway has written itself. */
function partsOf(bytes: Buffer, boundary: string): Part[] {
  const text = bytes.toString('latin1')
  return text
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head, content = ''] = splitOnce(part.replace(/^\r\n/, '').replace(/\r\n$/, ''), '\r\n\r\n')
      const heading = Buffer.from(head, 'latin1').toString('utf8')
      return {
        name: /[; ]name="([^"]*)"/i.exec(heading)?.[1] ?? '',
        filename: /filename="([^"]*)"/i.exec(heading)?.[1],
        type: /^content-type:\s*(.+)$/im.exec(heading)?.[1]?.trim(),
        content: Buffer.from(content, 'latin1'),
      }
    })
}

function splitOnce(text: string, at: string): [string, string | undefined] {
  const index = text.indexOf(at)
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + at.length)]
}
