import { type RequestFields, requestFields } from '../request/request-fields.ts'
import { requestHeaders } from '../request/request-headers.ts'
import { requestedTools } from '../request/requested-tools.ts'
import { noteUntranslatable, unknownFields } from '../request/other-fields.ts'
import type { ChatCall, Encoded, Target } from '../chat-codec.ts'
import { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { toConversation } from './conversation.ts'
import { toFormat } from './response-format.ts'
import { toSampling } from './sampling.ts'
import { toThinking } from './thinking.ts'
import { toTools } from './tools.ts'
import { writeJson } from '../../json/written-numbers.ts'

/** The body is always written from scratch, so a source text is not used. */
export function encode({ request }: ChatCall, target: Target): Encoded {
  const notes = new Notes()
  const fields = requestFields(request, target, notes)
  const body = writeJson({ ...toBody(fields, target, notes), ...request.extra_body, model: target.model }, request)
  return {
    wire: { method: 'POST', url: `${target.baseUrl}/chat`, headers: requestHeaders(request), body },
    notes: notes.list,
  }
}

const UNTRANSLATABLE = [
  ...(['logit_bias', 'top_logprobs', 'prediction', 'audio', 'modalities', 'verbosity', 'service_tier'] as const),
  ...(['web_search_options', 'user', 'metadata', 'image_config'] as const),
]

function toBody(fields: RequestFields, target: Target, notes: Notes): Fields {
  const { top_k, ...unknown } = unknownFields(fields)
  const tools = toTools(requestedTools(fields, { provider: 'Cohere', traits: target.traits }, notes), notes)
  const { messages, documents } = toConversation(fields, target, notes)
  const format = toFormat(fields, tools !== undefined || documents.length > 0, target, notes)
  noteUntranslatable(fields, UNTRANSLATABLE, notes)
  if (fields.parallel_tool_calls === false) notes.dropped('parallel_tool_calls', 'Cohere has no such setting')
  return {
    ...unknown,
    messages: format.inWords ? [{ role: 'system', content: format.inWords }, ...messages] : messages,
    stream: fields.stream === true,
    ...(documents.length > 0 && { documents }),
    ...tools,
    ...(format.field && { response_format: format.field }),
    ...toSampling(fields, notes),
    ...(top_k !== undefined && { k: top_k }),
    ...toThinking(fields, target, notes),
  }
}
