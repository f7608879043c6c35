import assert from 'node:assert/strict'
import { loadCatalog } from '../../../src/platform/catalog/catalog.ts'
import { loadConfig } from '../../../src/platform/config/config.ts'
import { DEFAULT_TIMEOUTS } from '../../../src/platform/config/timeouts.ts'
import type { ChatRequest } from '../../../src/contract/chat.ts'
import type { ChatCompletion } from '../../../src/contract/chat-reply.ts'
import type { CohereChatRequest } from '../../../src/contract/cohere/chat.ts'
import type { GenerateContentRequest } from '../../../src/contract/gemini/generate-content.ts'
import type { MessagesRequest } from '../../../src/contract/messages.ts'
import type { ResponsesRequest } from '../../../src/contract/responses.ts'
import { completeAnswer } from '../../../src/endpoints/chat/openai-members.ts'
import { fromCompletion as toCohere } from '../../../src/translation/formats/cohere/from-completion.ts'
import { nativeAsk as nativeCohere, toChat as ofCohere } from '../../../src/translation/formats/cohere/to-chat.ts'
import { toChat as ofCompletions } from '../../../src/translation/formats/completions/to-chat.ts'
import { fitChat as fitGemini } from '../../../src/translation/formats/gemini/fit-chat.ts'
import { fromCompletion as toGemini } from '../../../src/translation/formats/gemini/from-completion.ts'
import { toChat as ofGemini } from '../../../src/translation/formats/gemini/to-chat.ts'
import { fitChat as fitMessages } from '../../../src/translation/formats/messages/fit-chat.ts'
import { fromCompletion as toMessage } from '../../../src/translation/formats/messages/from-completion.ts'
import { toChat as ofMessages } from '../../../src/translation/formats/messages/to-chat.ts'
import { fromCompletion as toResponse } from '../../../src/translation/formats/responses/response-object.ts'
import { toChat as ofResponses } from '../../../src/translation/formats/responses/to-chat.ts'
import { modelAt, splitName } from '../../../src/calls/routing/names/resolved-model.ts'
import { type ChatTarget, toTarget } from '../../../src/calls/routing/chat-targets.ts'
import { codecFor, type AskedChat } from '../../../src/calls/upstream/native-codec.ts'
import type { Ask, ClientName } from './conversation.ts'
import { answerOf, type Maker, MAKERS } from './makers.ts'
import type { Fields } from './rule.ts'
import { NO_CONFIG } from '../../gateway/gateway-process.ts'

// Requests as the gateway would send them, without a port: translated, encoded, checked, answered and translated back.

const config = loadConfig({
  GATEHOUSE_CONFIG: NO_CONFIG,
  GATEHOUSE_API_KEY: 'key-of-a-test',
  DATA_DIR: '/nowhere',
  AZURE_RESOURCE_NAME: 'mine',
  GOOGLE_CLOUD_PROJECT: 'p',
  AWS_REGION: 'eu-west-3',
})
const catalog = loadCatalog(config.providers)
const targets = new Map(MAKERS.map(({ model }) => [model, targetOf(model)]))

/** Throws if the provider would refuse the request. */
export const askWithoutPort: Ask = ({ maker, body, client, said }) => {
  const target = targets.get(maker.model)!
  const call = callOf(client, body, target)
  const codec = codecFor(target, call)
  const { wire } = codec.encode(call, target)
  const made = answerOf(maker, wire.url, JSON.parse(String(wire.body)), said)
  if ('refusal' in made) throw new Error(made.refusal)
  const completion = codec.decode(JSON.stringify(made.answer), target)
  Object.assign(completion, { id: `chatcmpl-${said.step}`, created: 1, model: target.id, provider: target.provider.id })
  if (target.provider.dialect !== 'openai') completeAnswer(completion)
  return JSON.parse(JSON.stringify(replyOf(client, completion, body)))
}

/** Why the provider would refuse a prompt in the format of text completions, which has no history. */
export function refusalOfPrompt(maker: Maker): string | undefined {
  const target = targets.get(maker.model)!
  const body = { model: target.id, prompt: 'Hi' }
  const call: AskedChat = { request: ofCompletions(body), native: { format: 'completions', body } }
  const { wire } = codecFor(target, call).encode(call, target)
  const said = { saying: 'text' as const, step: 1, signature: '', thinks: false }
  const made = answerOf(maker, wire.url, JSON.parse(String(wire.body)), said)
  return 'refusal' in made ? made.refusal : undefined
}

function callOf(client: ClientName, body: Fields, { provider, id }: ChatTarget): AskedChat {
  const { dialect = 'openai' } = provider
  const formats = { providers: [provider.id], dialects: [dialect] }
  if (client === 'messages') {
    const request = ofMessages(body as MessagesRequest, [provider.id])
    return { request, native: { format: client, body, fit: fitMessages } }
  }
  if (client === 'gemini') {
    const addressed = { model: id, stream: false }
    const request = ofGemini(body as GenerateContentRequest, addressed, formats)
    return { request, native: { format: client, body, fit: fitGemini } }
  }
  if (client === 'responses') {
    const { request, untranslatable } = ofResponses(body as ResponsesRequest, [provider.id])
    return { request, native: { format: client, body, untranslatable } }
  }
  if (client === 'cohere') {
    return { request: ofCohere(body as CohereChatRequest), native: nativeCohere(body as CohereChatRequest) }
  }
  return { request: body as ChatRequest }
}

function replyOf(client: ClientName, completion: ChatCompletion, body: Fields): object {
  if (client === 'messages') return toMessage(completion)
  if (client === 'gemini') return toGemini(completion)
  if (client === 'cohere') return toCohere(completion)
  if (client !== 'responses') return completion
  const view = {
    id: `resp_${completion.id.slice(9).padStart(32, '0')}`,
    body: body as ResponsesRequest,
    isStored: false,
    receivedAt: 1,
  }
  return toResponse(completion, view)
}

function targetOf(id: string): ChatTarget {
  const { provider, model } = splitName(id, config.providers)
  assert.ok(provider, id)
  return toTarget(modelAt(provider, model, catalog), { config, timeouts: DEFAULT_TIMEOUTS })
}
