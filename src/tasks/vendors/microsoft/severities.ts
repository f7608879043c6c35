import Type, { type Static } from '../../../schema/type.ts'
import { worstOf } from '../../fields/likelihood.ts'
import { contentFinding } from '../../results/content-finding.ts'
import { replyReader } from '../../http/reply-reader.ts'

// https://learn.microsoft.com/rest/api/contentsafety. A severity is a step; how many there are depends on what is asked for.

const Severities = Type.Object({
  categoriesAnalysis: Type.Array(Type.Object({ category: Type.String(), severity: Type.Integer() })),
})

export const readSeverities = replyReader(Severities)

/** What was looked for and how bad it is, as parts of the most severe step. */
export function severityFindings({ categoriesAnalysis }: Static<typeof Severities>, mostSevere: number) {
  const items = categoriesAnalysis.map(({ category, severity }) => contentFinding(category, severity / mostSevere))
  return { ...worstOf(items), items }
}
