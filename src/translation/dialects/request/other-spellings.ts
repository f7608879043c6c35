import type { ChatRequest } from '../../../contract/chat.ts'
import { type Fields, isRecord, textOf } from '../../../base/schema/record.ts'
import { keepWritten } from '../../json/written-numbers.ts'
import type { Target } from '../chat-codec.ts'
import { Notes } from '../notes.ts'

// Other gateways and providers have other words for what our chat format can say. A provider that does not know them refuses the
// whole request. What they say about who answers is read earlier (`calls/routing/other-gateways/`).

type Spelled = { request: ChatRequest; notes: Notes['list'] }

/** The request in our own words. Undefined if it is, which is nearly always so. */
export function ownWords(
  request: ChatRequest,
  target: Pick<Target, 'traits' | 'compat'>,
  dialect?: string,
): Spelled | undefined {
  const { reasoning, tool_choice }: Fields = request
  const isOthers = isRecord(reasoning) && !takesObject(target)
  const choice = choiceIn(tool_choice)
  const settings = settingsIn(request, target, dialect)
  if (!isOthers && !choice && settings.length === 0) return undefined
  const notes = new Notes()
  const changed: Fields = { ...request }
  if (choice) {
    changed.tool_choice = choice.tool_choice
    if (choice.isOneAtATime) changed.parallel_tool_calls ??= false
    notes.translated('tool_choice', 'the choice of another format, in the words of this one')
  }
  for (const [field, change] of settings) {
    delete changed[field]
    change(notes, changed)
  }
  if (isOthers) {
    delete changed.reasoning
    Object.assign(changed, thinkingIn(reasoning, request, notes))
  }
  return { request: keepWritten(changed as unknown as ChatRequest, request), notes: notes.list }
}

type Choice = { tool_choice: ChatRequest['tool_choice']; isOneAtATime?: boolean }

const WORDS: ReadonlyMap<unknown, 'auto' | 'none' | 'required'> = new Map([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  ['any', 'required'],
])

/**
 * The choice of Mistral's and Anthropic's clients, and that of the responses format, whose objects name a function directly.
 * Undefined for our own words, and for what a provider has of its own.
 */
function choiceIn(choice: unknown): Choice | undefined {
  if (choice === 'any') return { tool_choice: 'required' }
  if (!isRecord(choice)) return undefined
  const { type, name, function: wrapped } = choice
  const isOneAtATime = choice.disable_parallel_tool_use === true
  const word = WORDS.get(type)
  if (word) return { tool_choice: word, isOneAtATime }
  const isNamed = (type === 'tool' || type === 'function') && typeof name === 'string' && !isRecord(wrapped)
  return isNamed ? { tool_choice: { type: 'function', function: { name } }, isOneAtATime } : undefined
}

type Setting = [field: string, change: (notes: Notes, changed: Fields) => void]

/** Settings that only some providers know. Others refuse the whole request for them. */
function settingsIn(
  request: Fields,
  target: Pick<Target, 'traits' | 'compat'>,
  dialect: string | undefined,
): Setting[] {
  const found: Setting[] = []
  const drop = (field: string, reason: string) => found.push([field, (notes) => notes.dropped(field, reason)])
  if (!takesObject(target)) addOpenRouters(request, found, drop)
  if (!target.compat?.mistral) addMistrals(request, found, drop)
  if (isRecord(request.cache_control) && dialect !== 'anthropic' && !target.compat?.cacheMarks)
    drop('cache_control', 'this provider does not cache on request')
  return found
}

type Drop = (field: string, reason: string) => void

function addOpenRouters({ usage, transforms, include_reasoning, trace }: Fields, found: Setting[], drop: Drop): void {
  if (isRecord(usage))
    found.push(['usage', (notes) => notes.translated('usage', 'it is `stream_options.include_usage` here')])
  if (Array.isArray(transforms)) drop('transforms', 'the gateway does not shorten prompts')
  if (typeof include_reasoning === 'boolean') drop('include_reasoning', SHOWN_REASONING)
  if (isRecord(trace)) drop('trace', 'the gateway reads the header `traceparent` and `metadata`')
}

function addMistrals({ random_seed, safe_prompt, prompt_mode }: Fields, found: Setting[], drop: Drop): void {
  if (Number.isInteger(random_seed)) found.push(['random_seed', asSeed])
  if (typeof safe_prompt === 'boolean') drop('safe_prompt', ONLY_MISTRAL)
  if (typeof prompt_mode === 'string') drop('prompt_mode', ONLY_MISTRAL)

  function asSeed(notes: Notes, changed: Fields): void {
    changed.seed ??= random_seed
    notes.renamed('random_seed', 'it is `seed` here')
  }
}

/** Whether the caller wants the usage at the end of a stream, in our words or in OpenRouter's. */
export function wantsUsage(request: ChatRequest): boolean {
  const { usage }: Fields = request
  return Boolean(request.stream_options?.include_usage) || (isRecord(usage) && usage.include === true)
}

function takesObject({ traits, compat }: Pick<Target, 'traits' | 'compat'>): boolean {
  return (traits?.thinking?.field ?? compat?.thinking) === 'reasoning'
}

const SHOWN_REASONING = 'this provider decides whether its reasoning is shown'
const ONLY_MISTRAL = 'only models at Mistral have it'
const EFFORTS: ReadonlySet<string> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])

/** OpenRouter's object: `effort` or `max_tokens`, `enabled`, and `exclude` for reasoning that is not shown. */
function thinkingIn(reasoning: Fields, { thinking, reasoning_effort }: ChatRequest, notes: Notes): Fields {
  if (thinking || reasoning_effort) {
    notes.dropped('reasoning', `\`${thinking ? 'thinking' : 'reasoning_effort'}\` already says it`)
    return {}
  }
  const { max_tokens, exclude } = reasoning
  if (exclude === true) notes.dropped('reasoning.exclude', SHOWN_REASONING)
  notes.translated('reasoning', 'this provider has other words for it')
  if (reasoning.enabled === false) return { reasoning_effort: 'none' }
  const effort = textOf(reasoning.effort).toLowerCase()
  if (EFFORTS.has(effort)) return { reasoning_effort: effort }
  if (typeof max_tokens === 'number') return { thinking: { type: 'enabled', budget_tokens: Math.floor(max_tokens) } }
  return reasoning.enabled === true ? { reasoning_effort: 'medium' } : {}
}
