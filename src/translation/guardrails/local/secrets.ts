import { optional } from '../../../base/schema/fields.ts'
import Type, { type Static } from '../../../base/schema/type.ts'
import { closedParams } from '../../hooks/closed-params.ts'
import { BlockList } from '../../hooks/patterns/block-list.ts'
import type { StepBudget } from '../../hooks/step-budget.ts'
import { localCheck, type Scanned, type Scanner, type Span } from '../check.ts'
import { PatternScanners } from './pattern-scanner.ts'
import { SecretScanner } from './secret-scanner.ts'
import { TOKEN_FORMATS } from './token-formats.ts'
import { wordNodes } from './word-nodes.ts'

const Params = closedParams({
  assignments: optional(
    Type.Boolean(),
    'Whether to look for values without a known format behind words such as `password:` and `api_key=`.',
    { default: true },
  ),
  words: BlockList.properties.words,
})
type Params = Static<typeof Params>

/** By the parameters, which are the same object as long as the guardrail does not change. */
const ofWords = new WeakMap<Params, PatternScanners>()

export default localCheck({
  description:
    `Secrets: tokens of ${new Set(TOKEN_FORMATS.map(({ rule }) => rule)).size} formats, private keys, passwords in addresses and ` +
    'assignments, and words of the operator. A token in a format that has random characters counts if it has enough of them.',
  params: Params,
  placeholder: () => 'SECRET',
  open(params, budget) {
    const assignments = params.assignments ?? true
    if (!params.words?.length) return () => new SecretScanner(assignments, budget)
    const words = ofWords.get(params) ?? new PatternScanners(wordNodes(params.words, false), false, nameOf)
    ofWords.set(params, words)
    return () => together(new SecretScanner(assignments, budget), words, budget)
  },
})

function nameOf(word: number): string {
  return `word ${word}`
}

function together(formats: Scanner, words: PatternScanners, budget: StepBudget): Scanner {
  const both = [formats, words.open(budget)]
  const joined = (scans: Scanned[]): Scanned => {
    const spans = scans.flatMap((scanned): readonly Span[] => scanned.spans)
    return { settled: Math.min(...scans.map(({ settled }) => settled)), spans }
  }
  return {
    push: (text) => joined(both.map((scanner) => scanner.push(text))),
    end: () => joined(both.map((scanner) => scanner.end())),
  }
}
