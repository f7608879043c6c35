import type { ChatRequest } from '../../../contract/chat.ts'
import { type Edit, editText, editValue } from '../../json/edit-json.ts'
import { MODEL_REFUSES, PROVIDER_REFUSES, THINKER_REFUSES } from '../request/request-fields.ts'
import { requestHeaders } from '../request/request-headers.ts'
import { GATEWAY_FIELDS } from '../request/gateway-fields.ts'
import { cannotTake, needs } from '../cannot-take.ts'
import { bareFunction } from '../request/bare-function.ts'
import { clientFunction, isAnthropicTool } from '../request/client-tools.ts'
import type { ChatCall, Encoded, Target } from '../chat-codec.ts'
import { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { answerFormat } from './answer-format.ts'
import { unmarkedTools } from './cache-marks.ts'
import { settleMessages } from './messages.ts'
import { shortMetadata } from './metadata.ts'
import { toThinking } from './thinking.ts'
import { toWatsonxFields, watsonxUrl } from './watsonx.ts'

export function encode({ request, source, cacheKey }: ChatCall, target: Target): Encoded {
  const notes = new Notes()
  const edit = planEdit(request, target, notes)
  if (cacheKey !== undefined) edit.set.prompt_cache_key = cacheKey
  const body = source ? editText(source.text, source.outline, edit) : editValue(request, edit)
  return {
    wire: { method: 'POST', url: urlOf(request, target), headers: requestHeaders(request), body },
    notes: notes.list,
  }
}

function urlOf(request: ChatRequest, { baseUrl, compat }: Target): string {
  return compat?.watsonx ? watsonxUrl(baseUrl, request) : `${baseUrl}/chat/completions`
}

function planEdit(request: ChatRequest, target: Target, notes: Notes): Edit {
  const set: Record<string, unknown> = { model: target.model }
  const drop = new Set<string>()
  const members: Fields = request
  for (const key in members) if (members[key] === null || GATEWAY_FIELDS.has(key)) drop.add(key)
  const edit = { set, drop, from: request }
  dropIdleSettings(request, edit)
  const { fields, thinks } = toThinking(request, target, notes)
  writeThinking(request, fields, edit)
  translateFields(request, target, edit, notes)
  applyFieldRules(request, target, edit, notes)
  dropRefused(request, { names: target.traits?.refuses, reason: MODEL_REFUSES }, edit, notes)
  if (thinks) {
    const refused = { names: target.traits?.refusesWhileThinking, reason: THINKER_REFUSES }
    dropRefused(request, refused, edit, notes)
  }
  if (!target.fieldRules?.drop?.includes('stream_options')) askForUsage(request, edit)
  if (request.extra_body) Object.assign(set, request.extra_body, { model: target.model })
  if (target.compat?.watsonx) toWatsonxFields(request, edit, notes)
  return edit
}

/** Drops settings that clients send by default and providers refuse: tool settings without tools, stream settings without a stream. */
function dropIdleSettings(request: ChatRequest, { drop }: Plan) {
  if (!request.tools?.length) {
    if (request.tools) drop.add('tools')
    if (!request.functions?.length && request.tool_choice) drop.add('tool_choice')
    if (request.parallel_tool_calls != null) drop.add('parallel_tool_calls')
  }
  if (!request.stream && request.stream_options) drop.add('stream_options')
  if (request.max_tokens != null && request.max_completion_tokens != null) drop.add('max_tokens')
}

type Plan = Edit & { drop: Set<string> }

/** Replaces the caller's two reasoning fields with the fields that this model understands. */
function writeThinking(request: ChatRequest, fields: Fields, { set, drop }: Plan) {
  for (const field of ['thinking', 'reasoning_effort'] as const)
    if (request[field] != null && fields[field] === undefined) drop.add(field)
  for (const field in fields) if (fields[field] !== (request as Fields)[field]) set[field] = fields[field]
}

function translateFields(request: ChatRequest, target: Target, { set, drop }: Plan, notes: Notes) {
  if (request.image_config) {
    drop.add('image_config')
    notes.dropped('image_config', 'this provider has no such field')
  }
  if (request.tools?.length) translateTools(request.tools, target, set, notes)
  if (request.metadata) {
    const metadata = shortMetadata(request.metadata, notes)
    if (metadata) set.metadata = metadata
  }
  const { format, instruction } = answerFormat(request, target, notes)
  if (format) set.response_format = format
  const messages = settleMessages(request.messages, target, notes)
  if (instruction) set.messages = [instruction, ...messages]
  else if (messages !== request.messages) set.messages = messages
}

function translateTools(tools: Fields[], target: Target, set: Fields, notes: Notes) {
  needs('tools', target.traits, ['tools'], target.name ?? 'the provider')
  const functions = tools.some(isForeign) ? tools.map((tool, at) => asFunction(tool, at, target, notes)) : tools
  const unmarked = unmarkedTools(functions, target, notes) ?? functions
  if (unmarked !== tools) set.tools = unmarked
}

/** Every tool of other formats has a name of its own. */
function isForeign(tool: Fields): boolean {
  return typeof tool.name === 'string' || isAnthropicTool(tool)
}

/**
 * A function that is not wrapped becomes one that is. Of Anthropic's typed tools, those that the client runs are functions, and the
 * others can only be run by Anthropic.
 */
function asFunction(tool: Fields, at: number, { name = 'the provider' }: Target, notes: Notes): Fields {
  const declared = clientFunction(tool, notes) ?? bareFunction(tool, notes)
  if (declared)
    return {
      type: 'function',
      function: declared,
      ...(tool.cache_control != null && { cache_control: tool.cache_control }),
    }
  if (!isAnthropicTool(tool)) return tool
  throw cannotTake(['tools', at, 'type'], `${name} cannot run "${tool.type}"; models of Anthropic can`)
}

function applyFieldRules(request: ChatRequest, { fieldRules }: Target, { set, drop }: Plan, notes: Notes) {
  if (!fieldRules) return
  const fields: Record<string, unknown> = request
  for (const field of fieldRules.drop ?? []) {
    if (fields[field] == null) continue
    drop.add(field)
    delete set[field]
    notes.dropped(field, PROVIDER_REFUSES)
  }
  for (const field in fieldRules.rename) {
    if (fields[field] == null || drop.has(field)) continue
    drop.add(field)
    set[fieldRules.rename[field]!] = fields[field]
    notes.renamed(field, `this provider calls it ${fieldRules.rename[field]}`)
  }
  for (const field in fieldRules.defaults) if (fields[field] == null) set[field] = fieldRules.defaults[field]
}

type Refused = { names: readonly string[] | undefined; reason: string }

function dropRefused(request: ChatRequest, { names = [], reason }: Refused, { set, drop }: Plan, notes: Notes) {
  const fields: Fields = request
  for (const field of names) {
    const isRequested =
      fields[field] != null && (!drop.has(field) || field in set) && !isFreeChoice(field, fields[field])
    if (isRequested) notes.dropped(field, reason)
    if (isRequested) drop.add(field)
    // A value that only the provider's row sets is dropped without a note.
    if (isRequested || fields[field] == null) delete set[field]
  }
}

/** A model that refuses `tool_choice` only refuses forced calls. */
function isFreeChoice(field: string, value: unknown): boolean {
  return field === 'tool_choice' && (value === 'auto' || value === 'none')
}

/** Billing needs the usage even if the caller does not ask for it. */
function askForUsage(request: ChatRequest, { set, drop }: Plan) {
  if (!request.stream) return
  if (request.stream_options?.include_usage === true) return
  set.stream_options = { ...request.stream_options, include_usage: true }
  drop.delete('stream_options')
}
