import type { CountTokensRequest } from '../../contract/tokens.ts'
import { countTexts } from './count-texts.ts'
import { familyOf } from './families.ts'
import { measure } from './measure.ts'
import { vocabularyNamed } from './vocabulary.ts'

/** The tokens of a request for a model, by the rules of its family. */
export async function countRequest(request: CountTokensRequest, model: string, signal: AbortSignal): Promise<number> {
  const family = familyOf(model)
  const { texts, tokens } = measure(request, family)
  const counted = await countTexts(texts, await vocabularyNamed(family.vocabulary), signal)
  return Math.ceil(family.factor * counted) + tokens
}
