import Type, { type Static } from '../../../base/schema/type.ts'
import { optional, words } from '../../../base/schema/fields.ts'
import { type Loc, missing, valueError } from '../../../base/schema/issue-messages.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import { closedParams } from '../closed-params.ts'
import type { StepBudget } from '../step-budget.ts'
import { isWord } from './char-set.ts'
import { compilePatterns, matchesNothing, partsOf, refuseTooLarge, STEPS_PER_PART } from './compile-patterns.ts'
import { literal, type Node, PatternError, parsePattern, SUBSET } from './parse-pattern.ts'
import { PatternMachine } from './pattern-machine.ts'

const MAX_PATTERNS = 50
const MAX_PATTERN_CHARS = 200
const MAX_WORDS = 200
const MAX_WORD_CHARS = 100
/** The states of all patterns together. Words have one per character, so their number and length are the limit. */
const MAX_PATTERN_STATES = 1_000

/** The parameters of `block_patterns`, for pre and post hooks. */
export const BlockList = closedParams({
  words: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_WORD_CHARS }), { maxItems: MAX_WORDS }),
    'Words and phrases. They match whole words, not parts of longer words.',
  ),
  patterns: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_PATTERN_CHARS }), { maxItems: MAX_PATTERNS }),
    SUBSET,
  ),
  ignore_case: optional(Type.Boolean(), 'Whether to ignore upper and lower case.', { default: true }),
  mode: optional(
    words(['block', 'flag']),
    'Whether to block the call, or to let it pass and report it in the metadata.',
    {
      default: 'block',
    },
  ),
})
export type BlockList = Static<typeof BlockList>

export function blockListIssues({ words, patterns }: BlockList, loc: Loc): ValidationIssue[] {
  if (!words?.length && !patterns?.length) return [missing([...loc, 'patterns'])]
  const nodes: Node[] = []
  const issues = (patterns ?? []).flatMap((pattern, index) => {
    return issueOf(() => nodes.push(readPattern(pattern)), [...loc, 'patterns', index])
  })
  return issues.length > 0 ? issues : issueOf(() => refuseTooLarge(nodes, MAX_PATTERN_STATES), [...loc, 'patterns'])
}

/** The automaton for all words and patterns. Searches through several texts share it. */
export function openMachine(list: BlockList, budget: StepBudget): PatternMachine {
  const { words, patterns, ignore_case } = list
  const letters = (words ?? []).reduce((sum, word) => sum + word.length, 0)
  const parts = (patterns ?? []).reduce((sum, pattern) => sum + partsOf(parsePattern(pattern)), 0)
  budget.spend((parts + letters) * STEPS_PER_PART)
  return new PatternMachine(compilePatterns(nodesOf(list)), ignore_case ?? true, budget)
}

/** All patterns and words as they are compiled, in this order. */
function nodesOf({ words, patterns }: BlockList): Node[] {
  return [...(patterns ?? []).map(parsePattern), ...(words ?? []).map((word) => wholeWord(word, literal))]
}

/** Names a match without repeating its text. Patterns come before words, as in the automaton. */
export function nameOf(found: number, { patterns }: BlockList): string {
  const count = patterns?.length ?? 0
  return found < count ? `pattern ${found}` : `word ${found - count}`
}

/** `letters` says what matches the word itself. */
export function wholeWord(word: string, letters: (word: string) => Node): Node {
  const edge = (unit: number): Node[] => (isWord(unit) ? [{ kind: 'edge', edge: 'word' }] : [])
  const nodes = [...edge(word.charCodeAt(0)), letters(word), ...edge(word.charCodeAt(word.length - 1))]
  return { kind: 'sequence', nodes }
}

function readPattern(pattern: string): Node {
  const node = parsePattern(pattern)
  if (matchesNothing(node)) throw new PatternError('This pattern matches every text')
  return node
}

function issueOf(attempt: () => unknown, loc: Loc): ValidationIssue[] {
  try {
    attempt()
    return []
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    return [valueError(loc, error.message)]
  }
}
