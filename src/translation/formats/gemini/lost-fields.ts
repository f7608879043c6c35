import type { DropNotes } from '../../wire/native-ask.ts'
import type { GenerateContentRequest } from '../../../contract/gemini/generate-content.ts'
import { partName } from '../part-name.ts'
import { isExpressible } from './content-parts.ts'
import { configOf, EXPRESSED } from './generation-config.ts'
import { elementsOf, fieldsOf } from './names.ts'

const ONLY_GOOGLE = 'only Google understands it'

/** Fields that the chat format expresses, or that are for the gateway. */
const READ: ReadonlySet<string> = new Set([
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'serviceTier', 'model', 'fallbacks'],
  ...['routerCandidates', 'routing', 'preHooks', 'postHooks', 'extraHeaders'],
])

/** Notes what a chat in our own format does not carry of a request. */
export function noteLostFields(body: GenerateContentRequest, notes: DropNotes): void {
  for (const [name, value] of Object.entries(fieldsOf(body)))
    if (value != null && !READ.has(name)) notes.dropped(name, ONLY_GOOGLE)
  for (const [name, value] of Object.entries(configOf(body)))
    if (value != null && !EXPRESSED.has(name)) notes.dropped(`generationConfig.${name}`, ONLY_GOOGLE)
  for (const { role, parts } of elementsOf(body.contents)) {
    if (role === 'model' || role === 'assistant') continue
    for (const part of elementsOf(parts))
      if (!isExpressible(part)) notes.dropped(partName('contents.parts', Object.keys(part)[0]), ONLY_GOOGLE)
  }
}
