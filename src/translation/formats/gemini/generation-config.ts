import type { ChatRequest } from '../../../contract/chat.ts'
import { type Fields, isRecord, listOf, recordOf, textOf } from '../../../base/schema/record.ts'
import { fieldsOf, hasFields } from './names.ts'
import { toJsonSchema } from './schema.ts'

/** What the chat format expresses of `generationConfig`. */
export const EXPRESSED: ReadonlySet<string> = new Set([
  ...['temperature', 'topP', 'topK', 'maxOutputTokens', 'candidateCount', 'stopSequences', 'seed', 'presencePenalty'],
  ...['frequencyPenalty', 'responseLogprobs', 'logprobs', 'responseMimeType', 'responseSchema', 'responseJsonSchema'],
  ...['responseModalities', 'speechConfig', 'imageConfig', 'thinkingConfig'],
])

const JSON_TYPE = 'application/json'

export function configFields(config: Fields): Partial<ChatRequest> & Fields {
  return {
    temperature: config.temperature,
    top_p: config.topP,
    top_k: config.topK,
    max_tokens: config.maxOutputTokens,
    n: config.candidateCount === 1 ? undefined : config.candidateCount,
    stop: listOf(config.stopSequences).length > 0 ? config.stopSequences : undefined,
    seed: config.seed,
    presence_penalty: config.presencePenalty,
    frequency_penalty: config.frequencyPenalty,
    logprobs: config.responseLogprobs === true ? true : undefined,
    top_logprobs: config.responseLogprobs === true ? config.logprobs : undefined,
    response_format: formatOf(config),
    ...mediaFields(config),
    thinking: hasFields(config.thinkingConfig) ? fieldsOf(config.thinkingConfig) : undefined,
  } as Partial<ChatRequest> & Fields
}

/** Not strict: schemas of this format rarely say that they are complete, and a strict format refuses those. */
function formatOf({ responseMimeType, responseSchema, responseJsonSchema }: Fields): ChatRequest['response_format'] {
  const schema = responseJsonSchema ?? (responseSchema == null ? undefined : toJsonSchema(responseSchema))
  if (textOf(responseMimeType) !== JSON_TYPE) return undefined
  if (!isRecord(schema)) return { type: 'json_object' }
  return { type: 'json_schema', json_schema: { name: 'answer', schema } }
}

function mediaFields({ responseModalities, speechConfig, imageConfig }: Fields): Fields {
  const modalities = listOf(responseModalities).map((word) => textOf(word).toLowerCase())
  const voice = fieldsOf(fieldsOf(fieldsOf(speechConfig).voiceConfig).prebuiltVoiceConfig).voiceName
  const { aspectRatio, imageSize } = fieldsOf(imageConfig)
  return {
    ...(modalities.some((word) => word !== 'text') && { modalities }),
    ...(textOf(voice) && { audio: { voice } }),
    ...(hasFields(imageConfig) && {
      image_config: {
        ...(textOf(aspectRatio) && { aspect_ratio: aspectRatio }),
        ...(textOf(imageSize) && { image_size: imageSize }),
      },
    }),
  }
}

/** The settings of a request under one spelling. */
export function configOf(body: Fields): Fields {
  const { generationConfig } = fieldsOf(body)
  return fieldsOf(recordOf(generationConfig))
}
