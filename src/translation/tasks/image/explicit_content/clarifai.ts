import { contentFinding } from '../../results/content-finding.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { adapter } from '../../feature.ts'
import { worstOf } from '../../fields/likelihood.ts'
import { askClarifai } from '../../vendors/clarifai.ts'
import explicitContent from './feature.ts'

// https://clarifai.com/clarifai/main/models/moderation-recognition. That an image is safe is no finding.

const SAFE = 'safe'

export default adapter(explicitContent, async (task, tools) => {
  const { original, concepts } = await askClarifai(tools, task, 'moderation-recognition')
  if (concepts.length === 0) throw new TaskFailure('garbage', 'the answer of the provider contains no result')
  const items = concepts.filter(({ name }) => name !== SAFE).map(({ name, value }) => contentFinding(name, value))
  return { output: { ...worstOf(items), items }, original, units: 1 }
})
