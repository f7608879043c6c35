import { acceptText } from '../../inputs/accept-text.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { readSeverities, severityFindings } from '../../vendors/microsoft/severities.ts'
import { jsonPayload } from '../../http/payload.ts'
import { adapter } from '../../feature.ts'
import moderation from './feature.ts'

// https://learn.microsoft.com/rest/api/contentsafety/text-operations/analyze-text. Microsoft detects the language.

const METER = { step: 1_000 }
const MAX_CHARACTERS = 10_000
const MAX_SEVERITY = 7

export default adapter(moderation, async (task, tools) => {
  const text = acceptText(task.input.text, { characters: MAX_CHARACTERS })
  // Eight levels, because four would leave three of our five levels unused.
  const payload = jsonPayload({ ...task.params, text, outputType: 'EightSeverityLevels' })
  const original = await askForJson(
    tools,
    { path: '/contentsafety/text:analyze?api-version=2024-09-01', payload },
    readSeverities,
  )
  return { output: severityFindings(original, MAX_SEVERITY), original, units: billedCharacters(text, METER) }
})
