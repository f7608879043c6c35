import { filterHook } from '../hook.ts'
import { KINDS } from '../pii/personal-data.ts'
import { redactFilter } from '../pii/redact-filter.ts'
import { AnswerRedaction } from '../redaction.ts'

export default filterHook({
  description:
    'Replaces personal data in the answer by placeholders such as `[EMAIL_1]`. A stream is held back by a word, or as ' +
    'long as figures go on. The arguments of tool calls stay as they are: a program reads them.',
  params: AnswerRedaction,
  open({ kinds }, { placeholders }) {
    const redaction = { kinds: kinds ?? KINDS, placeholders, isRestored: false }
    return (place) => (place === 'arguments' ? undefined : redactFilter(redaction))
  },
})
