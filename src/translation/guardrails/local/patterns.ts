import { closedParams } from '../../hooks/closed-params.ts'
import { BlockList, blockListIssues, nameOf, nodesOf } from '../../hooks/patterns/block-list.ts'
import type { Static } from '../../../base/schema/type.ts'
import { localCheck } from '../check.ts'
import { BothForms } from './both-forms.ts'
import { PatternScanners } from './pattern-scanner.ts'
import { plainText } from './plain-text.ts'

const { words, patterns, ignore_case } = BlockList.properties
const Params = closedParams({ words, patterns, ignore_case })
type Params = Static<typeof Params>

/** By the parameters, which are the same object as long as the guardrail does not change. */
const opened = new WeakMap<Params, PatternScanners>()

export default localCheck({
  description: 'Words and patterns of the operator. No match is longer than 2,000 characters.',
  params: Params,
  rules: blockListIssues,
  placeholder: () => 'REDACTED',
  open(params, budget) {
    const scanners = opened.get(params) ?? scannersOf(params)
    opened.set(params, scanners)
    return () => new BothForms(() => scanners.open(budget))
  },
})

function scannersOf(params: Params): PatternScanners {
  return new PatternScanners(nodesOf(withPlainWords(params)), params.ignore_case ?? true, (found) =>
    nameOf(found, params),
  )
}

/** Words are compared with the plain form of texts, too. */
export function withPlainWords<List extends Pick<Params, 'words'>>(list: List): List {
  return list.words ? { ...list, words: list.words.map((word) => plainText(word) || word) } : list
}
