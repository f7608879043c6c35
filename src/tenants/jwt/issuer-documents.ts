import { readText } from '../../platform/net/read-text.ts'
import { isRecord } from '../../base/schema/record.ts'
import { GATEWAY_OWNER, type Send } from '../../translation/wire/wire.ts'

// Requests to issuers that the operator named. They go out as requests to providers do, through the operator's proxies, with
// limits of their own. A redirect is refused: an attacker who could redirect a request for keys could supply the keys.

const TIMEOUTS = { connectMs: 5_000, headersMs: 10_000, idleMs: 10_000 }
const TOTAL_MS = 15_000
const MAX_BYTES = 512 * 1024
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

type IssuerRequest = {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body: string | null
}
type IssuerAnswer = { status: number; headers: Record<string, string>; text: string }

export type IssuerDocuments = {
  ask(request: IssuerRequest): Promise<IssuerAnswer>
  /** A JSON object at this address. */
  read(url: string): Promise<Record<string, unknown>>
}

export function openIssuerDocuments(send: Send): IssuerDocuments {
  const ask = (request: IssuerRequest) => askIssuer(send, request)
  return {
    ask,
    read: async (url) => {
      const { status, text } = await ask({ method: 'GET', url, headers: { accept: 'application/json' }, body: null })
      if (status !== 200) throw new Error(`the issuer answered ${status}`)
      const document: unknown = JSON.parse(text)
      if (!isRecord(document)) throw new Error('the issuer answered with something that is not a JSON object')
      return document
    },
  }
}

async function askIssuer(send: Send, request: IssuerRequest): Promise<IssuerAnswer> {
  if (!isSecure(request.url)) throw new Error('the address is not secure')
  const signal = AbortSignal.timeout(TOTAL_MS)
  const { status, headers, body } = await send({ ...request }, { signal, timeouts: TIMEOUTS, owner: GATEWAY_OWNER })
  if (status >= 300 && status < 400) {
    await body[Symbol.asyncIterator]().return?.()
    throw new Error('the issuer redirects, which is not followed')
  }
  return { status, headers: singleHeaders(headers), text: await readText(body, MAX_BYTES) }
}

function singleHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return Object.fromEntries(entries)
}

/** The address may come from a document of the issuer. */
function isSecure(address: string): boolean {
  const url = URL.parse(address)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname))
}
