import type { NativeAsk } from '../../../translation/wire/native-ask.ts'
import { GATEWAY_FIELDS } from '../../../translation/dialects/request/gateway-fields.ts'
import { knownEffort } from '../../../translation/dialects/openai/effort.ts'
import { MODEL_REFUSES, THINKER_REFUSES } from '../../../translation/dialects/request/request-fields.ts'
import type { Notes } from '../../../translation/dialects/notes.ts'
import { ownBody } from '../../../translation/formats/responses/own-body.ts'
import { type Fields, isRecord, recordOf } from '../../../base/schema/record.ts'
import type { ChatTarget } from '../../routing/chat-targets.ts'
import { keepWritten } from '../../../translation/json/written-numbers.ts'

/** The caller's own body, without fields for the gateway, and without what the model of this target refuses. */
export function nativeBody({ body }: NativeAsk, target: ChatTarget, notes: Notes): Fields {
  const own = ownBody(body, target.provider.id, notes)
  const fields = Object.entries(own).filter(([field, value]) => value != null && !GATEWAY_FIELDS.has(field))
  return withoutRefused(keepWritten(Object.fromEntries(fields), body), target, notes)
}

function withoutRefused(fields: Fields, { traits }: ChatTarget, notes: Notes): Fields {
  const { reasoning, ...rest } = fields
  const settled = isRecord(reasoning) ? settledReasoning(reasoning, traits, notes) : undefined
  const body = settled ? { ...rest, reasoning: settled } : rest
  drop(body, traits?.refuses, MODEL_REFUSES, notes)
  if (thinks(settled, traits)) drop(body, traits?.refusesWhileThinking, THINKER_REFUSES, notes)
  return body
}

/** A model that does not think refuses the field; another one gets the nearest effort that it has. */
function settledReasoning(reasoning: Fields, traits: ChatTarget['traits'], notes: Notes): Fields | undefined {
  const { effort, ...rest } = reasoning
  if (traits?.thinking?.by === 'none') {
    if (effort !== undefined && effort !== 'none') notes.dropped('reasoning', 'this model does not think')
    return undefined
  }
  const supported = typeof effort === 'string' ? knownEffort(effort, traits?.thinking, notes) : effort
  return { ...rest, ...(supported !== undefined && { effort: supported }) }
}

function thinks(reasoning: Fields | undefined, traits: ChatTarget['traits']): boolean {
  const { effort } = recordOf(reasoning)
  if (effort != null) return effort !== 'none'
  return Boolean(traits?.thinking?.byDefault || traits?.thinking?.always)
}

function drop(body: Fields, names: readonly string[] = [], reason: string, notes: Notes): void {
  for (const name of names) {
    if (body[name] == null) continue
    delete body[name]
    notes.dropped(name, reason)
  }
}
