import type { Fields } from '../../base/schema/record.ts'
import { writeJson } from '../json/written-numbers.ts'

/**
 * If a model does not support schemas, it has to call this tool, and the input of the call is the answer. Decoders
 * recognise the tool by its name: its input becomes text again, not a call.
 */
export const ANSWER_TOOL = 'gatehouse_json_answer'

/** The instruction for models whose wire format has no means to enforce a format. */
export function jsonInWords(schema?: Fields): string {
  if (!schema) return 'Answer with one JSON object and nothing else: no prose, no code fence.'
  const shape = `It has to fit this JSON schema: ${writeJson(schema)}`
  return `Answer with JSON and nothing else: no prose, no code fence. ${shape}`
}
