import type { ThinkingTraits } from '../model-traits.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { maxAnswerTokens } from '../request/answer-limits.ts'
import { effortOf, noteCannotThink, thinkingOptions, type ThinkingOptions } from '../request/thinking-options.ts'
import type { Target } from '../chat-codec.ts'
import { nearestEffort } from '../effort.ts'
import type { Notes } from '../notes.ts'
import { claudeOnBedrock } from './claude-on-bedrock.ts'
import { type Circumstances, SILENT, type Thinking } from './thinking-plan.ts'
import { type Vendor, vendorOf } from './vendor.ts'

// On Bedrock, reasoning settings depend on the vendor of the model: they are sent in `additionalModelRequestFields`.

export function toThinking(
  fields: RequestFields,
  target: Target,
  circumstances: Circumstances,
  notes: Notes,
): Thinking {
  const options = thinkingOptions(fields)
  const how = target.traits?.thinking
  const style = styleOf(vendorOf(target), how)
  if (!options) return SILENT
  if (style === 'none') {
    noteCannotThink(fields, options, notes)
    return SILENT
  }
  if (style === 'claude') return claudeOnBedrock(fields, target.traits, circumstances, notes)
  const isCapped = maxAnswerTokens(fields) !== undefined
  return style === 'nova' ? novaThinking(options, { how, isCapped }, notes) : wordThinking(options, how, style, notes)
}

type Style = 'none' | 'claude' | 'nova' | 'reasoning' | 'reasoning_effort'

const STYLES: Record<Vendor, Style> = {
  anthropic: 'claude',
  nova: 'nova',
  openai: 'reasoning',
  'gpt-oss': 'reasoning_effort',
  mistral: 'none',
  other: 'none',
  unknown: 'none',
}

/** An unknown model is treated like the newer models of its vendor. */
function styleOf(vendor: Vendor, how: ThinkingTraits | undefined): Style {
  if (how?.by === 'none') return 'none'
  if (!how || STYLES[vendor] !== 'none') return STYLES[vendor]
  return how.by === 'budget' || how.by === 'adaptive' ? 'claude' : 'reasoning_effort'
}

const THREE_EFFORTS = ['low', 'medium', 'high']
const GPT_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const NOT_BESIDE_NOVA_HIGH = ['temperature', 'top_p'] as const

type NovaCircumstances = { how: ThinkingTraits | undefined; isCapped: boolean }

/** The strongest effort of Nova accepts no limit of the answer. The caller's limit is kept, so the effort gives way. */
function novaThinking(options: ThinkingOptions, { how, isCapped }: NovaCircumstances, notes: Notes): Thinking {
  if (options.off) return how?.byDefault ? { fields: { reasoningConfig: { type: 'disabled' } }, excludes: [] } : SILENT
  const efforts = (how?.efforts ?? THREE_EFFORTS).filter((word) => !isCapped || word !== 'high')
  if (efforts.length === 0) {
    notes.dropped(options.field, 'this model does not think if the length of the answer is limited')
    return SILENT
  }
  const maxReasoningEffort = nearestWord(options, efforts, notes)
  const fields = { reasoningConfig: { type: 'enabled', maxReasoningEffort } }
  return { fields, excludes: maxReasoningEffort === 'high' ? NOT_BESIDE_NOVA_HIGH : [] }
}

function wordThinking(
  options: ThinkingOptions,
  how: ThinkingTraits | undefined,
  style: 'reasoning' | 'reasoning_effort',
  notes: Notes,
): Thinking {
  const efforts = how?.efforts ?? (style === 'reasoning' ? GPT_EFFORTS : THREE_EFFORTS)
  const effort = nearestWord(options.off ? { ...options, effort: 'none' } : options, efforts, notes)
  return { fields: style === 'reasoning' ? { reasoning: { effort } } : { reasoning_effort: effort }, excludes: [] }
}

function nearestWord(options: ThinkingOptions, efforts: readonly string[], notes: Notes): string {
  const word = effortOf(options)
  const nearest = nearestEffort(word, efforts)
  if (nearest !== word || options.budget !== undefined)
    notes.translated(options.field, `the closest setting of this model is "${nearest}"`)
  return nearest
}
