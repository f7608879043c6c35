import { filterHook } from '../hook.ts'
import { findInTexts } from '../pii/find-in-texts.ts'
import { redactByEngine, engineKinds } from '../pii/redact-by-engine.ts'
import { KINDS } from '../pii/personal-data.ts'
import { redactFilter, withPlaceholders } from '../pii/redact-filter.ts'
import { AnswerRedaction } from '../redaction.ts'

const TEXTS = ['content', 'refusal', 'reasoning_content'] as const

export default filterHook({
  description:
    'Replaces personal data in the answer with placeholders such as `[EMAIL_1]`. Of a stream, the last word is held back, or ' +
    'everything while digits continue; if names or street addresses are to be found, until its end. The arguments of tool calls ' +
    'stay unchanged, because a program reads them.',
  params: AnswerRedaction,
  open({ kinds }, { placeholders, streamWork }) {
    const redaction = { kinds: kinds ?? KINDS, placeholders, isRestored: false }
    return (kind) => (kind === 'arguments' ? undefined : redactFilter(redaction, streamWork))
  },
  wholeText({ kinds }, tools) {
    const redaction = { kinds: kinds ?? KINDS, placeholders: tools.placeholders, isRestored: false }
    return async (text, kind) => {
      if (kind === 'arguments') return text
      const found = await findInTexts([text], { kinds: redaction.kinds, tools })
      return await withPlaceholders(text, found.get(text) ?? [], redaction, tools.longWork)
    }
  },
  onWhole({ kinds }, tools) {
    const redaction = { kinds: engineKinds(kinds), placeholders: tools.placeholders, isRestored: false }
    if (redaction.kinds.length === 0) return undefined
    return async (answer) => {
      const hidden = await redactByEngine(
        TEXTS.flatMap((field) => answer[field] ?? []),
        redaction,
        tools,
      )
      const texts = TEXTS.map((field) => [field, hidden.get(answer[field] ?? '') ?? answer[field]])
      return { ...answer, ...Object.fromEntries(texts) }
    }
  },
})
