import type { Fields } from '../schema/record.ts'

/**
 * Where a model knows no schema of answers, it is made to call this tool, and what it calls it with is the answer. Replies
 * know the tool by its name alone: its input becomes text again, not a call.
 */
export const ANSWER_TOOL = 'gatehouse_json_answer'

/** For models that cannot be held to a format by any means of their wire. */
export function jsonInWords(schema?: Fields): string {
  if (!schema) return 'Answer with one JSON object and nothing else: no prose, no code fence.'
  const shape = `It has to fit this JSON schema: ${JSON.stringify(schema)}`
  return `Answer with JSON and nothing else: no prose, no code fence. ${shape}`
}
