import type { ChatRequest } from '../../../contract/chat.ts'
import type { ThinkingField, ThinkingTraits } from '../model-traits.ts'
import {
  effortOf,
  isInOtherWords,
  noteCannotThink,
  thinkingOptions,
  type ThinkingOptions,
  withoutOtherWords,
} from '../request/thinking-options.ts'
import { MIN_BUDGET_TOKENS } from '../claude-thinking.ts'
import { budgetOfEffort, nearestEffort } from '../effort.ts'
import { maxAnswerTokens } from '../request/answer-limits.ts'
import type { Target } from '../chat-codec.ts'
import type { Notes } from '../notes.ts'
import { budgetBelow, loweredTo, NO_ROOM_TO_THINK } from '../thinking-budget.ts'
import { type Fields, recordOf } from '../../../base/schema/record.ts'
import { knownEffort } from './effort.ts'

// In this wire format, each provider controls thinking in its own way: by a word, a switch, a budget or an object.

type Thinking = {
  /** These fields replace `thinking` and `reasoning_effort`. */
  fields: Fields
  /** Whether the model thinks, as far as it is known. */
  thinks: boolean
}

type ThinkingContext = { options: ThinkingOptions; request: ChatRequest; how: ThinkingTraits | undefined; notes: Notes }

export function toThinking(request: ChatRequest, { traits, compat }: Target, notes: Notes): Thinking {
  const how = traits?.thinking
  if (hasTools(request) && traits?.lacks?.includes('thinking_with_tools')) return besideTools(notes)
  const options = optionsIn(request)
  if (options && refusesBeside(options, request, traits)) return besideTools(notes)
  if (!options) return { fields: {}, thinks: how?.byDefault === true || how?.always === true }
  if (how?.by === 'none') {
    noteCannotThink(thinkingFields(request), options, notes)
    return { fields: {}, thinks: false }
  }
  const fields = WRITERS[how?.field ?? compat?.thinking ?? 'reasoning_effort']({ options, request, how, notes })
  return { fields, thinks: !options.off || how?.always === true }
}

/** A call that thinks and has tools goes over the responses endpoint, if there is one. */
function refusesBeside({ off }: ThinkingOptions, request: ChatRequest, traits: Target['traits']): boolean {
  if (off || !hasTools(request) || !traits?.chatRefuses?.includes('tools_while_thinking')) return false
  return traits.thinking?.efforts?.includes('none') ?? false
}

function besideTools(notes: Notes): Thinking {
  notes.translated('reasoning_effort', 'this model does not think together with tools in this wire format')
  return { fields: { reasoning_effort: 'none' }, thinks: false }
}

function hasTools({ tools, functions }: ChatRequest): boolean {
  return Boolean(tools?.length || functions?.length)
}

function optionsIn(request: ChatRequest): ThinkingOptions | undefined {
  return request.thinking || request.reasoning_effort ? thinkingOptions(thinkingFields(request)) : undefined
}

function thinkingFields({ messages, thinking, reasoning_effort }: ChatRequest) {
  return { messages, ...(thinking && { thinking }), ...(reasoning_effort && { reasoning_effort }) }
}

const WRITERS: Record<ThinkingField, (context: ThinkingContext) => Fields> = {
  reasoning_effort: byEffort,
  thinking: bySwitch,
  thinking_budget: byBudget,
  enable_thinking: byFlag,
  reasoning: byObject,
  reasoning_enabled: byEnabled,
  chat_template_kwargs: byTemplate,
}

/** Used by OpenAI. */
function byEffort({ options, request, how, notes }: ThinkingContext): Fields {
  const effort = knownEffort(wordOf(options, request), how, notes, options.field)
  return effort === undefined ? {} : { reasoning_effort: effort }
}

/** Used by DeepSeek and Z.ai: on or off, and an effort if the model supports it. */
function bySwitch({ options, request, how, notes }: ThinkingContext): Fields {
  const { budget_tokens: _, ...own } = withoutOtherWords(recordOf(request.thinking))
  if (options.off && how?.always) {
    notes.translated(options.field, 'thinking cannot be turned off for this model: the lowest effort is used')
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

/** Used by Fireworks: Anthropic's object, or else an effort. */
function byBudget(context: ThinkingContext): Fields {
  const { thinking: written, reasoning_effort } = context.request
  const { budget } = context.options
  const isForeign = written && isInOtherWords(written)
  if (!written || (isForeign && budget === undefined)) return byEffort(context)
  const thinking = isForeign ? { type: 'enabled', budget_tokens: budget } : written
  if (reasoning_effort) context.notes.dropped('reasoning_effort', '`thinking` already says it')
  if (budget === undefined) return { thinking }
  const budget_tokens = belowCap(budget, context, MIN_BUDGET_TOKENS)
  if (budget_tokens === undefined) return { thinking: { type: 'disabled' } }
  return { thinking: budget_tokens === budget ? thinking : { ...thinking, budget_tokens } }
}

/** Used by Alibaba. */
function byFlag(context: ThinkingContext): Fields {
  const { options, notes } = context
  if (options.off) return { enable_thinking: false }
  const requested = options.budget ?? (options.effort ? budgetOfEffort(options.effort) : undefined)
  notes.translated(options.field, 'this provider uses enable_thinking and thinking_budget')
  if (requested === undefined) return { enable_thinking: true }
  const thinking_budget = belowCap(requested, context, 1)
  return thinking_budget === undefined ? { enable_thinking: false } : { enable_thinking: true, thinking_budget }
}

/** Undefined if the model must not think, because its answer is too short for that. */
function belowCap(budget: number, { options, request, notes }: ThinkingContext, minTokens: number) {
  const fitting = budgetBelow(maxAnswerTokens(request), budget, minTokens)
  if (fitting === undefined) notes.dropped(options.field, NO_ROOM_TO_THINK)
  else if (fitting !== budget) notes.translated(options.field, loweredTo(fitting))
  return fitting
}

/** Used by OpenRouter. Its strongest effort is `xhigh`. */
function byObject(context: ThinkingContext): Fields {
  const { options, request, how, notes } = context
  const own = recordOf((request as Fields).reasoning)
  notes.translated(options.field, 'this provider uses reasoning')
  if (!options.off && options.budget !== undefined && !options.effort) {
    const max_tokens = belowCap(options.budget, context, MIN_BUDGET_TOKENS)
    return { reasoning: { ...own, ...(max_tokens === undefined ? { effort: 'none' } : { max_tokens }) } }
  }
  const word = options.off ? 'none' : effortOf(options)
  const efforts = how?.efforts ?? ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']
  return { reasoning: { ...own, effort: nearestEffort(word, efforts) } }
}

/** Used by Together. */
function byEnabled({ options, request, how, notes }: ThinkingContext): Fields {
  const reasoning = { ...recordOf((request as Fields).reasoning), enabled: !options.off }
  noteBudget(options, notes)
  notes.translated(options.field, 'this provider uses reasoning')
  return { reasoning, ...(options.off ? {} : effortWord(options, how)) }
}

/**
 * Used by servers of open models: the names are those of Qwen and of DeepSeek, and a template ignores the name that it does
 * not know.
 */
function byTemplate(context: ThinkingContext): Fields {
  const { options, request, notes } = context
  const own = recordOf((request as Fields).chat_template_kwargs)
  const chat_template_kwargs = { enable_thinking: !options.off, thinking: !options.off, ...own }
  if (options.field === 'thinking') notes.translated('thinking', 'this provider uses chat_template_kwargs')
  return { chat_template_kwargs, ...(options.off || !request.reasoning_effort ? {} : byEffort(context)) }
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
  if (budget !== undefined)
    notes.translated('thinking', 'this provider does not accept a budget: thinking is turned on')
}
