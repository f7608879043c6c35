import { type Loc, valueError } from '../schema/issue-messages.ts'
import type { ModelTraits } from './model-traits.ts'
import { type Problem, problem } from '../contract/problems.ts'

/** What a wire has no words for, and what may not be left out in silence. The sentence names the provider. */
export function cannotTake(loc: Loc, sentence: string): Problem {
  const path = loc.join('.')
  const detail = [valueError(['body', ...loc], sentence)]
  return problem('validation_error', { message: `${path}: ${sentence}.`, param: path, detail })
}

const LACKING = { tools: 'calls no tools', vision: 'takes no images', files: 'takes no files' } as const

/** Throws where the model cannot take what its wire could say. */
export function needs(what: keyof typeof LACKING, traits: ModelTraits | undefined, loc: Loc, provider: string): void {
  if (traits?.lacks?.includes(what)) throw cannotTake(loc, `this model of ${provider} ${LACKING[what]}`)
}
