import type { ChatRequest } from '../../contract/chat.ts'
import type { ThinkingField, ThinkingTraits } from '../../contract/model-traits.ts'
import { effortOf, noteThoughtless, thinkingWish, type ThinkingWish } from '../asked/thinking-wish.ts'
import { budgetOfEffort, nearestEffort } from '../effort.ts'
import type { Target } from '../dialect.ts'
import type { Notes } from '../notes.ts'
import { type Fields, recordOf } from '../record.ts'
import { knownEffort } from './effort.ts'

// How a model is told to think is, on this wire, each provider's own affair: by a word, a switch, a budget or an object.

export type Thinking = {
  /** Stand in the place of `thinking` and `reasoning_effort`. */
  fields: Fields
  /** Whether the model thinks, as far as anybody knows. */
  thinks: boolean
}

type Asking = { wish: ThinkingWish; request: ChatRequest; how: ThinkingTraits | undefined; notes: Notes }

export function toThinking(request: ChatRequest, { traits, habits }: Target, notes: Notes): Thinking {
  const how = traits?.thinking
  if (hasTools(request) && traits?.lacks?.includes('thinking_with_tools')) return besideTools(notes)
  const wish = wishIn(request)
  if (!wish) return { fields: {}, thinks: how?.byDefault === true || how?.always === true }
  if (how?.by === 'none') {
    noteThoughtless(given(request), wish, notes)
    return { fields: {}, thinks: false }
  }
  const fields = WRITERS[how?.field ?? habits?.thinking ?? 'reasoning_effort']({ wish, request, how, notes })
  return { fields, thinks: !wish.off || how?.always === true }
}

function besideTools(notes: Notes): Thinking {
  notes.translated('reasoning_effort', 'this model does not think beside tools on this wire')
  return { fields: { reasoning_effort: 'none' }, thinks: false }
}

function hasTools({ tools, functions }: ChatRequest): boolean {
  return Boolean(tools?.length || functions?.length)
}

function wishIn(request: ChatRequest): ThinkingWish | undefined {
  return request.thinking || request.reasoning_effort ? thinkingWish(given(request)) : undefined
}

function given({ messages, thinking, reasoning_effort }: ChatRequest) {
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
function byEffort({ wish, request, how, notes }: Asking): Fields {
  const effort = knownEffort(wordOf(wish, request), how, notes, wish.field)
  return effort === undefined ? {} : { reasoning_effort: effort }
}

/** As DeepSeek and Z.ai do it: on or off, and a word beside it where the model knows words. */
function bySwitch({ wish, request, how, notes }: Asking): Fields {
  const { budget_tokens: _, ...own } = recordOf(request.thinking)
  if (wish.off && how?.always) {
    notes.translated(wish.field, 'this model cannot be told not to think: it is told to think least')
    return effortWord(wish, how)
  }
  if (wish.off) return { thinking: { ...own, type: 'disabled' } }
  noteBudget(wish, notes)
  const type = own.type === 'auto' ? 'auto' : 'enabled'
  return { thinking: { ...own, type }, ...(wish.effort || wish.budget !== undefined ? effortWord(wish, how) : {}) }
}

/** As Fireworks does it: Anthropic's object, or else a word. */
function byBudget(asking: Asking): Fields {
  const { thinking, reasoning_effort } = asking.request
  if (!thinking) return byEffort(asking)
  if (reasoning_effort) asking.notes.dropped('reasoning_effort', '`thinking` says it already')
  return { thinking }
}

/** As Alibaba does it. */
function byFlag({ wish, notes }: Asking): Fields {
  if (wish.off) return { enable_thinking: false }
  const budget = wish.budget ?? (wish.effort ? budgetOfEffort(wish.effort) : undefined)
  notes.translated(wish.field, 'this provider is told by enable_thinking and thinking_budget')
  return { enable_thinking: true, ...(budget !== undefined && { thinking_budget: budget }) }
}

/** As OpenRouter does it. Its strongest word is `xhigh`. */
function byObject({ wish, request, how, notes }: Asking): Fields {
  const own = recordOf((request as Fields).reasoning)
  notes.translated(wish.field, 'this provider is told by reasoning')
  if (!wish.off && wish.budget !== undefined && !wish.effort) return { reasoning: { ...own, max_tokens: wish.budget } }
  const word = wish.off ? 'none' : effortOf(wish)
  const known = how?.efforts ?? ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']
  return { reasoning: { ...own, effort: nearestEffort(word, known) } }
}

/** As Together does it. */
function byEnabled({ wish, request, how, notes }: Asking): Fields {
  const reasoning = { ...recordOf((request as Fields).reasoning), enabled: !wish.off }
  noteBudget(wish, notes)
  notes.translated(wish.field, 'this provider is told by reasoning')
  return { reasoning, ...(wish.off ? {} : effortWord(wish, how)) }
}

/** As servers of open models do it: the names are those of Qwen and of DeepSeek, and a template passes over the other. */
function byTemplate(asking: Asking): Fields {
  const { wish, request, notes } = asking
  const own = recordOf((request as Fields).chat_template_kwargs)
  const chat_template_kwargs = { enable_thinking: !wish.off, thinking: !wish.off, ...own }
  if (wish.field === 'thinking') notes.translated('thinking', 'this provider is told by chat_template_kwargs')
  return { chat_template_kwargs, ...(wish.off || !request.reasoning_effort ? {} : byEffort(asking)) }
}

function wordOf(wish: ThinkingWish, { reasoning_effort }: ChatRequest): string {
  if (wish.field === 'reasoning_effort' && reasoning_effort) return reasoning_effort
  return wish.off ? 'none' : effortOf(wish)
}

function effortWord(wish: ThinkingWish, how: ThinkingTraits | undefined): Fields {
  if (!how?.efforts?.length) return {}
  return { reasoning_effort: nearestEffort(wish.off ? 'none' : effortOf(wish), how.efforts) }
}

function noteBudget({ budget }: ThinkingWish, notes: Notes): void {
  if (budget !== undefined) notes.translated('thinking', 'this provider takes no budget: it is told to think')
}
