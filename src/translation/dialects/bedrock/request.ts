import type { ChatRequest } from '../../../contract/chat.ts'
import { type RequestFields, requestFields } from '../request/request-fields.ts'
import { requestHeaders } from '../request/request-headers.ts'
import { requestedTools } from '../request/requested-tools.ts'
import { noteUntranslatable, unknownFields } from '../request/other-fields.ts'
import type { ChatCall, Encoded, Target } from '../chat-codec.ts'
import { pathSegment } from '../../wire/path-segment.ts'
import { Notes } from '../notes.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'
import { prunedCachePoints } from './cache-points.ts'
import { type Conversation, toConversation, type WireMessage } from './conversation.ts'
import { toInferenceConfig } from './inference-config.ts'
import { toJsonAnswer } from './json-answer.ts'
import { isServerCall } from './provider-content.ts'
import { toRequestMetadata, toServiceTier } from './request-settings.ts'
import { toThinking } from './thinking.ts'
import type { Circumstances } from './thinking-plan.ts'
import { toToolConfig, type ToolConfig } from './tool-config.ts'
import { vendorOf } from './vendor.ts'
import { writeJson } from '../../json/written-numbers.ts'

/** The body is always written from scratch, so a source text is not used. */
export function encode({ request }: ChatCall, target: Target): Encoded {
  const notes = new Notes()
  const fields = requestFields(request, target, notes)
  const body = writeJson(withExtraBody(toBody(fields, target, notes), request), request)
  return {
    wire: { method: 'POST', url: urlFor(fields, target), headers: headersFor(request), body },
    notes: notes.list,
  }
}

function urlFor({ stream }: RequestFields, { baseUrl, model }: Target): string {
  return `${baseUrl}/model/${pathSegment(model)}/${stream ? 'converse-stream' : 'converse'}`
}

function headersFor(request: ChatRequest): Record<string, string> {
  return requestHeaders(request, request.stream ? { accept: 'application/vnd.amazon.eventstream' } : {})
}

const UNTRANSLATABLE = [
  ...(['seed', 'logit_bias', 'frequency_penalty', 'presence_penalty', 'logprobs', 'top_logprobs'] as const),
  ...(['prediction', 'audio', 'modalities', 'verbosity', 'web_search_options', 'user', 'image_config'] as const),
]

function toBody(fields: RequestFields, target: Target, notes: Notes): Fields {
  const tools = requestedTools(fields, { provider: 'Amazon Bedrock', traits: target.traits }, notes)
  const answer = toJsonAnswer(fields, tools.tools.length > 0, target, notes)
  const conversation = withInstruction(toConversation(fields, target, notes), answer.inWords, target)
  const parallel = answer.tools ? undefined : fields.parallel_tool_calls
  const { messages } = conversation
  const toolConfig = toToolConfig({ requested: answer.tools ?? tools, parallel, messages }, target, notes)
  const thinking = toThinking(fields, target, circumstances(conversation, toolConfig), notes)
  const own = { ...unknownFor(fields, target), ...thinking.fields, ...toolConfig?.own }
  noteUntranslatable(fields, UNTRANSLATABLE, notes)
  return present({
    ...cached(conversation, toolConfig, target, notes),
    inferenceConfig: toInferenceConfig(fields, thinking, vendorOf(target), notes),
    ...outputs(answer.textFormat, thinking.effort, own),
    ...toServiceTier(fields, notes),
    requestMetadata: toRequestMetadata(fields, notes),
  })
}

function circumstances({ messages }: Conversation, config: ToolConfig | undefined): Circumstances {
  return { forced: config?.forced === true, unsigned: endsUnsigned(messages) }
}

/** If the model has no system prompt, the instruction becomes user text. */
function withInstruction(
  { system, messages }: Conversation,
  text: string | undefined,
  { traits }: Target,
): Conversation {
  if (!text) return { system, messages }
  if (!traits?.lacks?.includes('system')) return { system: [...system, { text }], messages }
  const [first, ...rest] = messages
  return { system, messages: [{ role: 'user', content: [{ text }, ...first!.content] }, ...rest] }
}

/** With a thinking budget, Claude requires the reasoning before its last calls. */
function endsUnsigned(messages: readonly WireMessage[]): boolean {
  const last = messages.findLast(({ role }) => role === 'assistant')?.content ?? []
  return (
    last.some(({ toolUse }) => toolUse !== undefined && !isServerCall(toolUse)) &&
    !last.some((block) => 'reasoningContent' in block)
  )
}

/** The model reads tools, then instructions, then the conversation; marks count in this order. */
function cached(
  { system, messages }: Conversation,
  config: ToolConfig | undefined,
  target: Target,
  notes: Notes,
): Fields {
  const lists = [config?.tools ?? [], system, ...messages.map(({ content }) => content)]
  const [tools, instructions, ...contents] = prunedCachePoints(lists, target, notes)
  return {
    system: instructions,
    messages: messages.map(({ role }, at) => ({ role, content: contents[at] })),
    toolConfig: config && { tools, ...(config.toolChoice && { toolChoice: config.toolChoice }) },
  }
}

/** Claude's effort is one of its own fields. These may not set the output once Bedrock's own field does. */
function outputs(textFormat: Fields | undefined, effort: string | undefined, additional: Fields): Fields {
  if (textFormat)
    return { outputConfig: { textFormat, ...(effort && { effort }) }, additionalModelRequestFields: additional }
  return { additionalModelRequestFields: effort ? { ...additional, output_config: { effort } } : additional }
}

/** Fields that only the vendor of the model knows. */
function unknownFor(fields: RequestFields, target: Target): Fields {
  const { top_k, ...unknown } = unknownFields(fields)
  if (top_k === undefined) return unknown
  if (vendorOf(target) !== 'nova') return { ...unknown, top_k }
  return { ...unknown, inferenceConfig: { topK: top_k } }
}

/** Drops empty values: Bedrock refuses empty objects and lists. */
function present(body: Fields): Fields {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}

/** Applied last. An object that already exists is merged member by member. */
function withExtraBody(body: Fields, { extra_body: extra }: ChatRequest): Fields {
  const merged = Object.entries(extra ?? {}).map(([field, value]) => {
    const ours = Object.hasOwn(body, field) ? body[field] : undefined
    return [field, isRecord(ours) && isRecord(value) ? { ...ours, ...value } : value] as const
  })
  return { ...body, ...Object.fromEntries(merged) }
}
