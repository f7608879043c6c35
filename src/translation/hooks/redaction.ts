import Type, { type Static } from '../../base/schema/type.ts'
import { optional, words } from '../../base/schema/fields.ts'
import { closedParams } from './closed-params.ts'
import { KINDS, ENGINE_KINDS } from './pii/personal-data.ts'

const REDACTION = {
  kinds: optional(
    Type.Array(words([...KINDS, ...ENGINE_KINDS]), { minItems: 1 }),
    'What to hide: e-mail addresses, account numbers (IBAN), bank cards, national identity numbers of fifteen countries, ' +
      'IP addresses, telephone numbers. Numbers with a checksum are hidden only if it is right. The default is these six. ' +
      'Street addresses (`address`) and the names of people (`name`, in English) are hidden only if they are listed here: ' +
      'engines of the gateway analyse the text, which takes time, and they miss some.',
  ),
}

export const AnswerRedaction = closedParams(REDACTION)
export type AnswerRedaction = Static<typeof AnswerRedaction>

export const RequestRedaction = closedParams({
  ...REDACTION,
  restore: optional(
    Type.Boolean(),
    'Whether to restore the values where their placeholders occur in the answer. That happens after all post hooks.',
    { default: false },
  ),
})
