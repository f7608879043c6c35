import Type, { type Static } from '../../../../base/schema/type.ts'
import { worstOf } from '../../fields/likelihood.ts'
import { contentFinding } from '../../results/content-finding.ts'
import { replyReader } from '../../http/reply-reader.ts'

// https://learn.microsoft.com/rest/api/contentsafety. A severity is a level; the number of levels depends on the request.

const Severities = Type.Object({
  categoriesAnalysis: Type.Array(Type.Object({ category: Type.String(), severity: Type.Integer() })),
})

export const readSeverities = replyReader(Severities)

/** The categories and their severities, as fractions of the highest level. */
export function severityFindings({ categoriesAnalysis }: Static<typeof Severities>, mostSevere: number) {
  const items = categoriesAnalysis.map(({ category, severity }) => contentFinding(category, severity / mostSevere))
  return { ...worstOf(items), items }
}
