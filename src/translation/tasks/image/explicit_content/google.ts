import Type from '../../../../base/schema/type.ts'
import { mapOf } from '../../../../base/schema/fields.ts'
import { toText } from '../../../../base/schema/to-primitive.ts'
import { contentFinding } from '../../results/content-finding.ts'
import { googleLikelihood } from '../../vendors/google/likelihood.ts'
import { imageAnnotation } from '../../vendors/google/vision.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { adapter } from '../../feature.ts'
import { worstOf } from '../../fields/likelihood.ts'
import { measuredUnits } from '../../measured-units.ts'
import explicitContent from './feature.ts'

const STEPS = 5

const judge = imageAnnotation(
  'SAFE_SEARCH_DETECTION',
  Type.Object({ safeSearchAnnotation: Type.Optional(mapOf(Type.Unknown())) }),
)

export default adapter(explicitContent, async (task, tools) => {
  const { original, found } = await judge(tools, task.files.file!, {}, task.params)
  if (!found.safeSearchAnnotation) throw new TaskFailure('garbage', 'the answer of the provider contains no result')
  const items = Object.entries(found.safeSearchAnnotation).flatMap(([label, word]) => {
    const likelihood = googleLikelihood(toText(word))
    return likelihood === null ? [] : [contentFinding(label, likelihood / STEPS)]
  })
  return { output: { ...worstOf(items), items }, original, units: measuredUnits(explicitContent, task) }
})
