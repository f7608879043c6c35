import type { ChatRequest } from '../../contract/chat.ts'
import { type Edit, editText, editValue } from '../../json/edit-json.ts'
import type { ChatCall, Encoded, Note, Target } from '../dialect.ts'

/** Fields that steer the gateway. `extra_body` and `extra_headers` travel by their content. */
const GATEWAY_ONLY: ReadonlySet<string> = new Set([
  'fallbacks',
  'router_candidates',
  'pre_hooks',
  'post_hooks',
  'extra_body',
  'extra_headers',
])

export function encode({ request, source }: ChatCall, target: Target): Encoded {
  const notes: Note[] = []
  const edit = planEdit(request, target, notes)
  // A text with a repeated key would be read one way by us and another way by the provider.
  const body =
    source && !source.outline.repeated ? editText(source.text, source.outline, edit) : editValue(request, edit)
  return {
    wire: { method: 'POST', url: `${target.baseUrl}/chat/completions`, headers: headersFor(request, target), body },
    notes,
  }
}

function planEdit(request: ChatRequest, target: Target, notes: Note[]): Edit {
  const set: Record<string, unknown> = { model: target.model }
  const drop = new Set<string>()
  const given: Record<string, unknown> = request
  for (const key in given) if (given[key] === null || GATEWAY_ONLY.has(key)) drop.add(key)
  const edit = { set, drop }
  dropWhatSaysNothing(request, edit)
  translateFields(request, edit, notes)
  applyQuirks(request, target, edit, notes)
  askForUsage(request, edit)
  if (request.extra_body) Object.assign(set, request.extra_body, { model: target.model })
  return edit
}

/** What clients send out of habit and providers refuse: tool settings without tools, stream settings without a stream. */
function dropWhatSaysNothing(request: ChatRequest, { drop }: Edit & { drop: Set<string> }) {
  if (!request.tools?.length) {
    if (request.tools) drop.add('tools')
    if (!request.functions?.length && request.tool_choice) drop.add('tool_choice')
    if (request.parallel_tool_calls != null) drop.add('parallel_tool_calls')
  }
  if (!request.stream && request.stream_options) drop.add('stream_options')
  if (request.max_tokens != null && request.max_completion_tokens != null) drop.add('max_tokens')
}

function translateFields(request: ChatRequest, { set, drop }: Edit & { drop: Set<string> }, notes: Note[]) {
  if (request.image_config) {
    drop.add('image_config')
    notes.push({ field: 'image_config', action: 'dropped', reason: 'this provider has no such field' })
  }
  if (request.reasoning_effort === 'disable') {
    set.reasoning_effort = 'none'
    notes.push({ field: 'reasoning_effort', action: 'translated', reason: 'this provider says "none" for "disable"' })
  }
  const messages = withImageObjects(request.messages)
  if (messages !== request.messages) set.messages = messages
}

/** Older clients write `"image_url": "https://…"`; the wire wants an object. */
function withImageObjects(messages: ChatRequest['messages']): ChatRequest['messages'] {
  const isBare = (part: object) => 'image_url' in part && typeof part.image_url === 'string'
  const needsWork = messages.some(({ content }) => Array.isArray(content) && content.some(isBare))
  if (!needsWork) return messages
  return messages.map((message) => {
    if (!Array.isArray(message.content)) return message
    const content = message.content.map((part) => {
      return 'image_url' in part && typeof part.image_url === 'string'
        ? { ...part, image_url: { url: part.image_url } }
        : part
    })
    return { ...message, content }
  })
}

function applyQuirks(
  request: ChatRequest,
  { quirks }: Target,
  { set, drop }: Edit & { drop: Set<string> },
  notes: Note[],
) {
  if (!quirks) return
  const given: Record<string, unknown> = request
  for (const field of quirks.drop ?? []) {
    if (given[field] == null) continue
    drop.add(field)
    notes.push({ field, action: 'dropped', reason: 'this provider refuses it' })
  }
  for (const field in quirks.rename) {
    if (given[field] == null || drop.has(field)) continue
    drop.add(field)
    set[quirks.rename[field]!] = given[field]
    notes.push({ field, action: 'renamed', reason: `this provider calls it ${quirks.rename[field]}` })
  }
  for (const field in quirks.defaults) if (given[field] == null) set[field] = quirks.defaults[field]
}

/** The bill needs the usage even where the caller does not ask for it. */
function askForUsage(request: ChatRequest, { set, drop }: Edit & { drop: Set<string> }) {
  if (!request.stream) return
  if (request.stream_options?.include_usage === true) return
  set.stream_options = { ...request.stream_options, include_usage: true }
  drop.delete('stream_options')
}

function headersFor(request: ChatRequest, target: Target): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: request.stream ? 'text/event-stream' : 'application/json',
  }
  if (target.credential) headers.authorization = `Bearer ${target.credential}`
  for (const name in request.extra_headers) headers[name.toLowerCase()] ??= request.extra_headers[name]!
  return headers
}
