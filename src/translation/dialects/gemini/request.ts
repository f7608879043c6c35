import type { ChatRequest } from '../../../contract/chat.ts'
import { type RequestFields, requestFields } from '../request/request-fields.ts'
import { noteUntranslatable, unknownFields } from '../request/other-fields.ts'
import type { ChatCall, Encoded, Target } from '../chat-codec.ts'
import { Notes } from '../notes.ts'
import { recordOf } from '../../../base/schema/record.ts'
import { headersFor, isVertex, urlFor } from './address.ts'
import { cachePlan, marksIn } from './cache-plan.ts'
import { type Conversation, toConversation } from './contents.ts'
import { toGenerationConfig } from './generation-config.ts'
import { toOutputFormat } from './output-format.ts'
import { toLabels, toServiceTier } from './request-labels.ts'
import { toTools } from './tools.ts'
import type { GenerateContentRequest } from './wire.ts'
import { keepWritten, writeJson } from '../../json/written-numbers.ts'

/** The body is always written from scratch, so a source text is not used. */
export function encode({ request }: ChatCall, target: Target): Encoded {
  const notes = new Notes()
  const fields = requestFields(request, target, notes)
  const { cacheEnd: end, ...own } = toBody(fields, target, notes)
  const body = withExtras(own, fields, request)
  const headers = headersFor(request, fields, target)
  const marked = end && !replacesBlock(request) ? { marks: marksIn(fields), end, headers } : undefined
  const cache = marked && cachePlan(keepWritten({ ...body, contents: own.contents }, request), marked, target, notes)
  return {
    wire: { method: 'POST', url: urlFor(request, target), headers, body: writeJson(body, request) },
    notes: notes.list,
    ...(cache && { cache }),
  }
}

/** The caller's own fields replace a part of what would be cached. */
function replacesBlock({ extra_body }: ChatRequest): boolean {
  return (
    extra_body != null && ['contents', 'systemInstruction', 'tools', 'toolConfig'].some((field) => field in extra_body)
  )
}

const UNTRANSLATABLE = ['logit_bias', 'prediction', 'verbosity', 'user'] as const
const UNSAYABLE_AT_STUDIO = [...UNTRANSLATABLE, 'metadata'] as const

type Body = GenerateContentRequest & Pick<Conversation, 'cacheEnd'>

function toBody(fields: RequestFields, target: Target, notes: Notes): Body {
  const tools = toTools(fields, target, notes)
  const format = toOutputFormat(fields, tools, target, notes)
  const { mediaResolution, ...conversation } = toConversation(fields, format.inWords, target, notes)
  const generationConfig = {
    ...toGenerationConfig(fields, target, notes),
    ...format.config,
    ...(mediaResolution && { mediaResolution }),
  }
  noteUntranslatable(fields, isVertex(target) ? UNTRANSLATABLE : UNSAYABLE_AT_STUDIO, notes)
  return {
    ...conversation,
    ...tools,
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
    ...(isVertex(target) ? toLabels(fields, notes) : toServiceTier(fields, notes)),
  }
}

/**
 * The caller's unknown fields come first, then `extra_body` overrides them. A part of `generationConfig` does not replace
 * the rest of it.
 */
function withExtras(body: GenerateContentRequest, fields: RequestFields, { extra_body }: ChatRequest): object {
  const { top_k: _, ...unknown } = unknownFields(fields)
  const whole = { ...unknown, ...body, ...extra_body }
  const configs = [unknown.generationConfig, body.generationConfig, extra_body?.generationConfig].map(recordOf)
  const merged = Object.assign({}, ...configs)
  return Object.keys(merged).length > 0 ? { ...whole, generationConfig: merged } : whole
}
