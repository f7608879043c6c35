import { optional, words } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { closedParams } from '../../hooks/closed-params.ts'
import { type Kind, KINDS } from '../../hooks/pii/personal-data.ts'
import { SCAN_START, scanText } from '../../hooks/pii/scan-text.ts'
import type { StepBudget } from '../../hooks/step-budget.ts'
import { localCheck, type Scanned, type Scanner } from '../check.ts'

const Params = closedParams({
  kinds: optional(
    Type.Array(words([...KINDS]), { minItems: 1, maxItems: KINDS.length }),
    'What to look for. All if absent.',
  ),
  restore: optional(
    Type.Boolean(),
    'Whether the caller of a chat gets what was redacted in its request back where the answer has the placeholder.',
    { default: false },
  ),
})

export default localCheck({
  description:
    'Personal data that has a recognisable form: e-mail addresses, phone numbers, cards, accounts, national ids and addresses in ' +
    'networks, with their check digits.',
  params: Params,
  placeholder: (rule) => rule.toUpperCase(),
  isRestored: ({ restore }) => restore === true,
  open({ kinds }, budget) {
    const wanted = kinds ?? KINDS
    return () => personalDataScanner(wanted, budget)
  },
})

/** Holds the last word back, or everything while digits continue. */
function personalDataScanner(kinds: readonly Kind[], budget: StepBudget): Scanner {
  let buffered = ''
  let at = 0
  let state = SCAN_START
  return { push: (text) => scan(text, false), end: () => scan('', true) }

  function scan(text: string, isAll: boolean): Scanned {
    buffered += text
    const scanned = scanText(buffered, { kinds, isAll, state, budget })
    const spans = scanned.found.map(({ start, end, kind }) => ({ from: at + start, to: at + end, rule: kind }))
    buffered = buffered.slice(scanned.end)
    at += scanned.end
    state = scanned.state
    return { settled: at, spans }
  }
}
