import { contentFinding } from '../../results/content-finding.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { adapter } from '../../feature.ts'
import { worstOf } from '../../fields/likelihood.ts'
import { askApi4ai } from '../../vendors/api4ai.ts'
import explicitContent from './feature.ts'

// https://api4.ai/docs/nsfw. It has two classes, of which only one is a finding.

const LABEL = 'nsfw'

export default adapter(explicitContent, async (task, tools) => {
  const { original, entities } = await askApi4ai(tools, task, 'nsfw/v1')
  const value = entities.find(({ classes }) => classes?.[LABEL] !== undefined)?.classes?.[LABEL]
  if (value === undefined) throw new TaskFailure('garbage', 'the answer of the provider contains no result')
  const items = [contentFinding(LABEL, value)]
  return { output: { ...worstOf(items), items }, original, units: 1 }
})
