import Type from '../../../base/schema/type.ts'
import { mapOf } from '../../../base/schema/fields.ts'
import { worstOf } from '../fields/likelihood.ts'
import { contentFinding } from './content-finding.ts'
import { replyReader } from '../http/reply-reader.ts'
import { ReportedScore } from '../fields/score.ts'

// OpenAI's moderation answer, which other providers have adopted: one result with a score per category.

const Result = Type.Object({ category_scores: mapOf(ReportedScore) })

export const readCategoryScores = replyReader(
  Type.Object({ results: Type.Array(Result, { minItems: 1, maxItems: 1 }) }),
)

export function moderationOf({ results }: ReturnType<typeof readCategoryScores>) {
  const scores = Object.entries(results[0]!.category_scores)
  const items = scores.map(([label, value]) => contentFinding(label, value))
  return { ...worstOf(items), items }
}
