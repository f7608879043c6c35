import type { GeminiModel } from '../../../contract/gemini/models.ts'
import type { ModelObject } from '../../../contract/models.ts'
import { recordOf } from '../../../base/schema/record.ts'

/** The methods of this format, by the kind of a model. */
const METHODS: Readonly<Record<string, string[]>> = {
  chat: ['generateContent', 'streamGenerateContent', 'countTokens'],
  embedding: ['embedContent', 'batchEmbedContents'],
}

/** A model as this format describes it. */
export function geminiModel(model: ModelObject, kind: string): GeminiModel {
  const { id, name, description, context_length, max_output_tokens, capabilities } = model
  return {
    name: `models/${id}`,
    baseModelId: id,
    version: '',
    displayName: name ?? id,
    ...(description && { description }),
    ...(context_length != null && { inputTokenLimit: context_length }),
    ...(max_output_tokens != null && { outputTokenLimit: max_output_tokens }),
    supportedGenerationMethods: METHODS[kind] ?? [],
    thinking: recordOf(capabilities).supports_reasoning === true,
  }
}
