import type { ChatRequest } from '../../contract/chat.ts'
import { type Asked, askedFields } from '../asked/asked-fields.ts'
import { noteUnsayable, unknownFields } from '../asked/other-fields.ts'
import type { ChatCall, Encoded, Target } from '../dialect.ts'
import { Notes } from '../notes.ts'
import { recordOf } from '../record.ts'
import { headersFor, isVertex, urlFor } from './address.ts'
import { toConversation } from './contents.ts'
import { toGenerationConfig } from './generation-config.ts'
import { toOutputFormat } from './output-format.ts'
import { toLabels, toServiceTier } from './request-labels.ts'
import { toTools } from './tools.ts'
import type { GenerateContentRequest } from './wire.ts'

/** The body is written anew: a source text is of no use here. */
export function encode({ request }: ChatCall, target: Target): Encoded {
  const notes = new Notes()
  const asked = askedFields(request, target, notes)
  const body = JSON.stringify(withExtras(toBody(asked, target, notes), asked, request))
  return {
    wire: { method: 'POST', url: urlFor(request, target), headers: headersFor(request, asked, target), body },
    notes: notes.list,
  }
}

const UNSAYABLE = ['logit_bias', 'prediction', 'verbosity', 'user'] as const
const UNSAYABLE_AT_STUDIO = [...UNSAYABLE, 'metadata'] as const

function toBody(asked: Asked, target: Target, notes: Notes): GenerateContentRequest {
  const tools = toTools(asked, target, notes)
  const format = toOutputFormat(asked, tools, target, notes)
  const { mediaResolution, ...spoken } = toConversation(asked, format.inWords, target, notes)
  const generationConfig = {
    ...toGenerationConfig(asked, target, notes),
    ...format.config,
    ...(mediaResolution && { mediaResolution }),
  }
  noteUnsayable(asked, isVertex(target) ? UNSAYABLE : UNSAYABLE_AT_STUDIO, notes)
  return {
    ...spoken,
    ...tools,
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
    ...(isVertex(target) ? toLabels(asked, notes) : toServiceTier(asked, notes)),
  }
}

/**
 * Below the caller's fields, then over them `extra_body`; a part of `generationConfig` does not wipe out the rest of
 * it.
 */
function withExtras(body: GenerateContentRequest, asked: Asked, { extra_body }: ChatRequest): object {
  const { top_k: _, ...unknown } = unknownFields(asked)
  const whole = { ...unknown, ...body, ...extra_body }
  const configs = [unknown.generationConfig, body.generationConfig, extra_body?.generationConfig].map(recordOf)
  const merged = Object.assign({}, ...configs)
  return Object.keys(merged).length > 0 ? { ...whole, generationConfig: merged } : whole
}
