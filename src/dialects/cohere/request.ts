import { type Asked, askedFields } from '../asked/asked-fields.ts'
import { askedHeaders } from '../asked/asked-headers.ts'
import { askedTools } from '../asked/asked-tools.ts'
import { noteUnsayable, unknownFields } from '../asked/other-fields.ts'
import type { ChatCall, Encoded, Target } from '../dialect.ts'
import { Notes } from '../notes.ts'
import type { Fields } from '../record.ts'
import { toConversation } from './conversation.ts'
import { toFormat } from './response-format.ts'
import { toSampling } from './sampling.ts'
import { toThinking } from './thinking.ts'
import { toTools } from './tools.ts'

/** The body is written anew: a source text is of no use here. */
export function encode({ request }: ChatCall, target: Target): Encoded {
  const notes = new Notes()
  const asked = askedFields(request, target, notes)
  const body = JSON.stringify({ ...toBody(asked, target, notes), ...request.extra_body, model: target.model })
  return {
    wire: { method: 'POST', url: `${target.baseUrl}/chat`, headers: askedHeaders(request), body },
    notes: notes.list,
  }
}

const UNSAYABLE = [
  ...(['logit_bias', 'top_logprobs', 'prediction', 'audio', 'modalities', 'verbosity', 'service_tier'] as const),
  ...(['web_search_options', 'user', 'metadata', 'image_config'] as const),
]

function toBody(asked: Asked, target: Target, notes: Notes): Fields {
  const { top_k, ...unknown } = unknownFields(asked)
  const tools = toTools(askedTools(asked, { provider: 'Cohere', traits: target.traits }, notes), notes)
  const { messages, documents } = toConversation(asked, target, notes)
  const format = toFormat(asked, tools !== undefined || documents.length > 0, target, notes)
  noteUnsayable(asked, UNSAYABLE, notes)
  if (asked.parallel_tool_calls === false) notes.dropped('parallel_tool_calls', 'Cohere cannot be told')
  return {
    ...unknown,
    messages: format.inWords ? [{ role: 'system', content: format.inWords }, ...messages] : messages,
    stream: asked.stream === true,
    ...(documents.length > 0 && { documents }),
    ...tools,
    ...(format.field && { response_format: format.field }),
    ...toSampling(asked, notes),
    ...(top_k !== undefined && { k: top_k }),
    ...toThinking(asked, target, notes),
  }
}
