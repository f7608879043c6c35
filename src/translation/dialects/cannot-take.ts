import { type Loc, valueError } from '../../base/schema/issue-messages.ts'
import type { ModelTraits } from './model-traits.ts'
import { type Problem, problem } from '../../contract/problems.ts'

/** For input that a wire format cannot express and that must not be dropped silently. The sentence names the provider. */
export function cannotTake(loc: Loc, sentence: string): Problem {
  const path = loc.join('.')
  const detail = [valueError(['body', ...loc], sentence)]
  return problem('validation_error', { message: `${path}: ${sentence}.`, param: path, detail })
}

const LACKING = {
  tools: 'does not support tools',
  vision: 'does not accept images',
  files: 'does not accept files',
} as const

/** Throws if the model cannot accept input that its wire format could express. */
export function needs(what: keyof typeof LACKING, traits: ModelTraits | undefined, loc: Loc, provider: string): void {
  if (traits?.lacks?.includes(what)) throw cannotTake(loc, `this model of ${provider} ${LACKING[what]}`)
}
