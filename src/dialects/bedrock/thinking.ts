import type { ThinkingTraits } from '../../contract/model-traits.ts'
import type { Asked } from '../asked/asked-fields.ts'
import { effortOf, noteThoughtless, thinkingWish, type ThinkingWish } from '../asked/thinking-wish.ts'
import type { Target } from '../dialect.ts'
import { nearestEffort } from '../effort.ts'
import type { Notes } from '../notes.ts'
import { claudeOnBedrock } from './claude-on-bedrock.ts'
import { type Circumstances, SILENT, type Thinking } from './thinking-plan.ts'
import { type Vendor, vendorOf } from './vendor.ts'

// How a model is told to think is its maker's own affair on Bedrock: it travels in `additionalModelRequestFields`.

export function toThinking(asked: Asked, target: Target, circumstances: Circumstances, notes: Notes): Thinking {
  const wish = thinkingWish(asked)
  const how = target.traits?.thinking
  const style = styleOf(vendorOf(target), how)
  if (!wish) return SILENT
  if (style === 'none') {
    noteThoughtless(asked, wish, notes)
    return SILENT
  }
  if (style === 'claude') return claudeOnBedrock(asked, target.traits, circumstances, notes)
  return style === 'nova' ? novaThinking(wish, how, notes) : wordThinking(wish, how, style, notes)
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

/** A model of which nothing is known thinks as its maker's newer models do. */
function styleOf(vendor: Vendor, how: ThinkingTraits | undefined): Style {
  if (how?.by === 'none') return 'none'
  if (!how || STYLES[vendor] !== 'none') return STYLES[vendor]
  return how.by === 'budget' || how.by === 'adaptive' ? 'claude' : 'reasoning_effort'
}

const THREE_EFFORTS = ['low', 'medium', 'high']
const GPT_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const NOT_BESIDE_NOVA_HIGH = ['max_tokens', 'max_completion_tokens', 'temperature', 'top_p'] as const

function novaThinking(wish: ThinkingWish, how: ThinkingTraits | undefined, notes: Notes): Thinking {
  if (wish.off) return how?.byDefault ? { fields: { reasoningConfig: { type: 'disabled' } }, excludes: [] } : SILENT
  const maxReasoningEffort = nearestWord(wish, how?.efforts ?? THREE_EFFORTS, notes)
  const fields = { reasoningConfig: { type: 'enabled', maxReasoningEffort } }
  return { fields, excludes: maxReasoningEffort === 'high' ? NOT_BESIDE_NOVA_HIGH : [] }
}

function wordThinking(
  wish: ThinkingWish,
  how: ThinkingTraits | undefined,
  style: 'reasoning' | 'reasoning_effort',
  notes: Notes,
): Thinking {
  const known = how?.efforts ?? (style === 'reasoning' ? GPT_EFFORTS : THREE_EFFORTS)
  const effort = nearestWord(wish.off ? { ...wish, effort: 'none' } : wish, known, notes)
  return { fields: style === 'reasoning' ? { reasoning: { effort } } : { reasoning_effort: effort }, excludes: [] }
}

function nearestWord(wish: ThinkingWish, known: readonly string[], notes: Notes): string {
  const word = effortOf(wish)
  const nearest = nearestEffort(word, known)
  if (nearest !== word || wish.budget !== undefined)
    notes.translated(wish.field, `this model says "${nearest}" for what was asked`)
  return nearest
}
