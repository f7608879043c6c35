import { isObject } from '../../contract/meant-branch.ts'
import { tryParse } from '../../json/try-parse.ts'

const THOUGHTS = /^\s*<think>[\s\S]*?<\/think>/
const FENCE = /```(?:json)?\s*\n([\s\S]*?)\n?\s*```/i

/** The JSON object in what a model wrote: bare, in a fence, or with words around it. Undefined where there is none. */
export function parseAnswer(content: string): Record<string, unknown> | undefined {
  const text = content.replace(THOUGHTS, '').trim()
  const candidates = [text, FENCE.exec(text)?.[1] ?? '', text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)]
  return candidates.map(tryParse).find(isObject)
}
