import type { Call } from '../../../calls/call.ts'
import { rethrowEngineFailure, textOfDocument } from '../../../calls/file-inputs/text-of-file.ts'
import { readAll } from '../../../calls/files/read-all.ts'
import type { CallServices } from '../../../calls/services/call-services.ts'
import { askTool, providerOfTool } from '../../../calls/upstream/ask-tool.ts'
import type { EgressResponse } from '../../../platform/net/egress/guarded-fetch.ts'
import { MB } from '../../../base/units/units.ts'
import { textOf } from '../../../base/schema/record.ts'
import type { WebWish } from '../../../translation/formats/gateway/wishes.ts'
import { UpstreamProblem } from '../../../translation/wire/upstream-problem.ts'
import type { GatewayTool, ToolOutcome } from '../gateway-tool.ts'
import { type Domains, isWithin } from './domains.ts'

const MAX_BYTES = 5 * MB
const TIMEOUT_MS = 20_000
const MAX_URL_CHARS = 2_000
const OK = 200
const LOC = ['body', 'tools']
const TARGET = { id: 'web/fetch', provider: providerOfTool('web', 'the web', 'https://web.invalid') }

/**
 * Reads a page for a model. Only addresses that the conversation has are read: a page that gives the model orders could otherwise
 * let it send what it knows to an address of its choice.
 */
export function fetchTool(wish: WebWish, services: CallServices): GatewayTool {
  const domains = { allowed: wish.allowedDomains, blocked: wish.blockedDomains }
  return {
    kind: 'fetch',
    functionName: 'gatehouse_web_fetch',
    name: 'web_fetch',
    server: '',
    description: 'Read the text of a web page or a document, by an address that the user or a search has named.',
    parameters: {
      type: 'object',
      properties: { url: { type: 'string', description: 'The whole address, with https://.' } },
      required: ['url'],
    },
    needsApproval: false,
    maxUses: wish.maxUses,
    run: async (input, call, conversation) => {
      const url = textOf(input.url)
      if (url.length > MAX_URL_CHARS || !isWithin(url, domains)) return refused(NOT_ALLOWED)
      if (!conversation.mentions(url)) return refused('Only addresses that the user or a result has named may be read.')
      return await askTool({ target: TARGET, price: 0 }, () => read(url, domains, call, services), call, services)
    },
  }
}

const NOT_ALLOWED = 'This address may not be read.'

function refused(text: string): ToolOutcome {
  return { text, isError: true }
}

async function read(url: string, domains: Domains, call: Call, services: CallServices): Promise<ToolOutcome> {
  const { signal, caller } = call
  const response = await services.callerUrls.get({ url, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, signal }, LOC)
  // A redirect may lead elsewhere.
  const isAllowed = isWithin(response.url, domains)
  if (response.status !== OK || !isAllowed) {
    await response.body[Symbol.asyncIterator]().return?.()
    return refused(isAllowed ? `The page answered with the status ${response.status}.` : NOT_ALLOWED)
  }
  const bytes = await services.callerUrls.read(response.body, LOC, (body) => readAll(body))
  const reader = { signal, owner: caller.owner, services }
  const document = await textOfDocument(bytes, reader)
  const { title, text } = document === undefined ? await pageOf(bytes, response, reader) : { title: '', text: document }
  return { text: title ? `${title}\n\n${text}` : text, sources: [{ url: response.url, title: title || response.url }] }
}

async function pageOf(
  bytes: Uint8Array,
  { headers }: EgressResponse,
  { signal, owner, services }: Parameters<typeof textOfDocument>[1],
): Promise<{ title: string; text: string }> {
  const type = String(headers['content-type'] ?? 'text/html')
  if (!/^(text\/|application\/(json|xml|xhtml|[\w.+-]*\+(json|xml)))/i.test(type))
    throw new UpstreamProblem('unreadable', 'this address has no text')
  const text = new TextDecoder().decode(bytes)
  if (!/html/i.test(type)) return { title: '', text }
  return await services.engine('web_page', { html: text }, signal, owner).catch(rethrowEngineFailure)
}
