import type { ChatRequest } from '../../contract/chat.ts'
import type { ThinkingField, ThinkingTraits } from '../model-traits.ts'
import { effortOf, noteThoughtless, thinkingOptions, type ThinkingOptions } from '../request/thinking-options.ts'
import { budgetOfEffort, nearestEffort } from '../effort.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import { type Fields, recordOf } from '../../schema/record.ts'
import { knownEffort } from './effort.ts'

// How a model is told to think is, on this wire, each provider's own affair: by a word, a switch, a budget or an object.

export type Thinking = {
  /** Stand in the place of `thinking` and `reasoning_effort`. */
  fields: Fields
  /** Whether the model thinks, as far as anybody knows. */
  thinks: boolean
}

type Asking = { options: ThinkingOptions; request: ChatRequest; how: ThinkingTraits | undefined; notes: Notes }

export function toThinking(request: ChatRequest, { traits, compat }: Target, notes: Notes): Thinking {
  const how = traits?.thinking
  if (hasTools(request) && traits?.lacks?.includes('thinking_with_tools')) return besideTools(notes)
  const options = optionIn(request)
  if (!options) return { fields: {}, thinks: how?.byDefault === true || how?.always === true }
  if (how?.by === 'none') {
    noteThoughtless(input(request), options, notes)
    return { fields: {}, thinks: false }
  }
  const fields = WRITERS[how?.field ?? compat?.thinking ?? 'reasoning_effort']({ options, request, how, notes })
  return { fields, thinks: !options.off || how?.always === true }
}

function besideTools(notes: Notes): Thinking {
  notes.translated('reasoning_effort', 'this model does not think beside tools on this wire')
  return { fields: { reasoning_effort: 'none' }, thinks: false }
}

function hasTools({ tools, functions }: ChatRequest): boolean {
  return Boolean(tools?.length || functions?.length)
}

function optionIn(request: ChatRequest): ThinkingOptions | undefined {
  return request.thinking || request.reasoning_effort ? thinkingOptions(input(request)) : undefined
}

function input({ messages, thinking, reasoning_effort }: ChatRequest) {
  return { messages, ...(thinking && { thinking }), ...(reasoning_effort && { reasoning_effort }) }
}

const WRITERS: Record<ThinkingField, (asking: Asking) => Fields> = {
  reasoning_effort: byEffort,
  thinking: bySwitch,
  thinking_budget: byBudget,
  enable_thinking: byFlag,
  reasoning: byObject,
  reasoning_enabled: byEnabled,
  chat_template_kwargs: byTemplate,
}

/** As OpenAI does it. */
function byEffort({ options, request, how, notes }: Asking): Fields {
  const effort = knownEffort(wordOf(options, request), how, notes, options.field)
  return effort === undefined ? {} : { reasoning_effort: effort }
}

/** As DeepSeek and Z.ai do it: on or off, and a word beside it where the model knows words. */
function bySwitch({ options, request, how, notes }: Asking): Fields {
  const { budget_tokens: _, ...own } = recordOf(request.thinking)
  if (options.off && how?.always) {
    notes.translated(options.field, 'this model cannot be told not to think: it is told to think least')
    return effortWord(options, how)
  }
  if (options.off) return { thinking: { ...own, type: 'disabled' } }
  noteBudget(options, notes)
  const type = own.type === 'auto' ? 'auto' : 'enabled'
  return {
    thinking: { ...own, type },
    ...(options.effort || options.budget !== undefined ? effortWord(options, how) : {}),
  }
}

/** As Fireworks does it: Anthropic's object, or else a word. */
function byBudget(asking: Asking): Fields {
  const { thinking, reasoning_effort } = asking.request
  if (!thinking) return byEffort(asking)
  if (reasoning_effort) asking.notes.dropped('reasoning_effort', '`thinking` says it already')
  return { thinking }
}

/** As Alibaba does it. */
function byFlag({ options, notes }: Asking): Fields {
  if (options.off) return { enable_thinking: false }
  const budget = options.budget ?? (options.effort ? budgetOfEffort(options.effort) : undefined)
  notes.translated(options.field, 'this provider is told by enable_thinking and thinking_budget')
  return { enable_thinking: true, ...(budget !== undefined && { thinking_budget: budget }) }
}

/** As OpenRouter does it. Its strongest word is `xhigh`. */
function byObject({ options, request, how, notes }: Asking): Fields {
  const own = recordOf((request as Fields).reasoning)
  notes.translated(options.field, 'this provider is told by reasoning')
  if (!options.off && options.budget !== undefined && !options.effort)
    return { reasoning: { ...own, max_tokens: options.budget } }
  const word = options.off ? 'none' : effortOf(options)
  const known = how?.efforts ?? ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']
  return { reasoning: { ...own, effort: nearestEffort(word, known) } }
}

/** As Together does it. */
function byEnabled({ options, request, how, notes }: Asking): Fields {
  const reasoning = { ...recordOf((request as Fields).reasoning), enabled: !options.off }
  noteBudget(options, notes)
  notes.translated(options.field, 'this provider is told by reasoning')
  return { reasoning, ...(options.off ? {} : effortWord(options, how)) }
}

/** As servers of open models do it: the names are those of Qwen and of DeepSeek, and a template passes over the other. */
function byTemplate(asking: Asking): Fields {
  const { options, request, notes } = asking
  const own = recordOf((request as Fields).chat_template_kwargs)
  const chat_template_kwargs = { enable_thinking: !options.off, thinking: !options.off, ...own }
  if (options.field === 'thinking') notes.translated('thinking', 'this provider is told by chat_template_kwargs')
  return { chat_template_kwargs, ...(options.off || !request.reasoning_effort ? {} : byEffort(asking)) }
}

function wordOf(options: ThinkingOptions, { reasoning_effort }: ChatRequest): string {
  if (options.field === 'reasoning_effort' && reasoning_effort) return reasoning_effort
  return options.off ? 'none' : effortOf(options)
}

function effortWord(options: ThinkingOptions, how: ThinkingTraits | undefined): Fields {
  if (!how?.efforts?.length) return {}
  return { reasoning_effort: nearestEffort(options.off ? 'none' : effortOf(options), how.efforts) }
}

function noteBudget({ budget }: ThinkingOptions, notes: Notes): void {
  if (budget !== undefined) notes.translated('thinking', 'this provider takes no budget: it is told to think')
}
