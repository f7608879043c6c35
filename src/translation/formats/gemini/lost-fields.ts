import type { ChatRequest } from '../../../contract/chat.ts'
import type { Fields } from '../../../base/schema/record.ts'
import type { DropNotes, OtherTarget } from '../../wire/native-ask.ts'
import type { GenerateContentRequest } from '../../../contract/gemini/generate-content.ts'
import { partName } from '../part-name.ts'
import { unexpressed, withOwn } from '../unexpressed.ts'
import { isExpressible } from './content-parts.ts'
import { EXPRESSED } from './generation-config.ts'
import { elementsOf, fieldsOf, hasFields } from './names.ts'

const ONLY_GOOGLE = 'only Google understands it'

/** Fields that the chat format expresses, or that are for the gateway. */
const READ: ReadonlySet<string> = new Set([
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'serviceTier', 'model', 'fallbacks'],
  ...['routerCandidates', 'routing', 'preHooks', 'postHooks', 'extraHeaders'],
])

/** Notes what a chat in our own format does not carry of a request. Google gets the fields that only Google understands. */
export function noteLostFields(body: GenerateContentRequest, notes: DropNotes, other: OtherTarget | undefined): void {
  if (other) {
    const { generationConfig, ...fields } = onlyGoogles(body)
    for (const name in fields) notes.dropped(name, ONLY_GOOGLE)
    for (const name in fieldsOf(generationConfig)) notes.dropped(`generationConfig.${name}`, ONLY_GOOGLE)
  }
  for (const { role, parts } of elementsOf(body.contents)) {
    if (role === 'model' || role === 'assistant') continue
    for (const part of elementsOf(parts))
      if (!isExpressible(part)) notes.dropped(partName('contents.parts', Object.keys(part)[0]), ONLY_GOOGLE)
  }
}

/** The chat with the fields of a request that only Google understands. */
export function withOwnFields(request: ChatRequest, body: Fields): ChatRequest {
  return withOwn(request, onlyGoogles(body), body)
}

function onlyGoogles(body: Fields): Fields {
  const { generationConfig } = fieldsOf(body)
  const config = unexpressed(fieldsOf(generationConfig), EXPRESSED)
  return { ...unexpressed(fieldsOf(body), READ), ...(hasFields(config) && { generationConfig: config }) }
}
