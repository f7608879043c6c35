import Type from '../../../contract/type.ts'
import { acceptText } from '../../calls/accept-text.ts'
import { askForJson } from '../../calls/ask-provider.ts'
import { billedCharacters } from '../../calls/billed-characters.ts'
import { contentFinding } from '../../calls/content-finding.ts'
import { jsonPayload } from '../../calls/payload.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { worstOf } from '../../likelihood.ts'
import moderation from './feature.ts'

// https://learn.microsoft.com/rest/api/contentsafety/text-operations/analyze-text. It finds the language out.

const METER = { step: 1_000 }
const MOST_CHARACTERS = 10_000
const MOST_SEVERE = 7

const readReply = replyReader(
  Type.Object({ categoriesAnalysis: Type.Array(Type.Object({ category: Type.String(), severity: Type.Integer() })) }),
)

export default adapter(moderation, async (task, tools) => {
  const text = acceptText(task.input.text, { characters: MOST_CHARACTERS })
  // Eight levels, because four would leave three of our five steps empty.
  const payload = jsonPayload({ ...task.params, text, outputType: 'EightSeverityLevels' })
  const original = await askForJson(
    tools,
    { path: '/contentsafety/text:analyze?api-version=2024-09-01', payload },
    readReply,
  )
  const items = original.categoriesAnalysis.map(({ category, severity }) =>
    contentFinding(category, severity / MOST_SEVERE),
  )
  return { output: { ...worstOf(items), items }, original, units: billedCharacters(text, METER) }
})
