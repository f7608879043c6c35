import type { ChatRequest } from '../../../contract/chat.ts'
import { preHook, type PreTools } from '../hook.ts'
import { redactByEngine, engineKinds } from '../pii/redact-by-engine.ts'
import { findInTexts } from '../pii/find-in-texts.ts'
import { KINDS } from '../pii/personal-data.ts'
import { hiddenIn, type Redaction } from '../pii/redact-filter.ts'
import { RequestRedaction } from '../redaction.ts'
import { mapRequestTexts, requestTexts } from '../texts/request-texts.ts'

type Change = (text: string) => string

export default preHook({
  description:
    'Replaces personal data in all texts of the request with placeholders such as `[EMAIL_1]`: in messages with the arguments ' +
    'of earlier tool calls, in tools, and in fields that are passed to the provider. Images, files and audio are not searched.',
  params: RequestRedaction,
  async run(request, { kinds, restore }, tools) {
    const redaction = { kinds: kinds ?? KINDS, placeholders: tools.placeholders, isRestored: restore === true }
    if (restore) for (const text of requestTexts(request)) await tools.placeholders.reserve(text, tools.longWork)
    const plain = await withoutPatterns(request, redaction, tools)
    const read = engineKinds(kinds)
    return read.length === 0 ? plain : await withoutNames(plain, { ...redaction, kinds: read }, tools)
  },
})

async function withoutPatterns(request: ChatRequest, redaction: Redaction, tools: PreTools): Promise<ChatRequest> {
  const found = await findInTexts(requestTexts(request), { kinds: redaction.kinds, tools })
  const hidden = await hiddenIn(found, redaction, tools.longWork)
  return changed(request, (text) => hidden.get(text) ?? text)
}

async function withoutNames(request: ChatRequest, redaction: Redaction, tools: PreTools): Promise<ChatRequest> {
  const hidden = await redactByEngine(requestTexts(request), redaction, tools)
  return changed(request, (text) => hidden.get(text) ?? text)
}

/** What cannot be replaced stays as the caller has written it. */
function changed(request: ChatRequest, change: Change): ChatRequest {
  return mapRequestTexts(request, (text, isFixed) => (isFixed ? text : change(text)))
}
