import { closedParams } from '../../hooks/closed-params.ts'
import { BlockList, blockListIssues, nameOf } from '../../hooks/patterns/block-list.ts'
import { parsePattern } from '../../hooks/patterns/parse-pattern.ts'
import type { Static } from '../../../base/schema/type.ts'
import { localCheck } from '../check.ts'
import { PatternScanners } from './pattern-scanner.ts'
import { wordNodes } from './word-nodes.ts'

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
    return () => scanners.open(budget)
  },
})

function scannersOf(params: Params): PatternScanners {
  const { words, patterns, ignore_case } = params
  const ignoreCase = ignore_case ?? true
  const nodes = [...(patterns ?? []).map(parsePattern), ...wordNodes(words ?? [], ignoreCase)]
  return new PatternScanners(nodes, ignoreCase, (found) => nameOf(found, params))
}
