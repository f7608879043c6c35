import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { base64Of } from '../../http/inline-file.ts'
import { readSeverities, severityFindings } from '../../vendors/microsoft/severities.ts'
import { jsonPayload } from '../../http/payload.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import explicitContent from './feature.ts'

// https://learn.microsoft.com/rest/api/contentsafety/image-operations/analyze-image. Severities are 0, 2, 4 and 6.

const PATH = '/contentsafety/image:analyze?api-version=2024-09-01'
const MAX_SEVERITY = 6
const ACCEPTED = {
  types: ['image/jpeg', 'image/png', 'image/gif', 'image/bmp', 'image/tiff', 'image/webp'],
  megabytes: 4,
}

export default adapter(explicitContent, async (task, tools) => {
  const image = { content: await base64Of(acceptFile(task.files.file!, ACCEPTED)) }
  const payload = jsonPayload({ ...task.params, image, outputType: 'FourSeverityLevels' })
  const original = await askForJson(tools, { path: PATH, payload }, readSeverities)
  return { output: severityFindings(original, MAX_SEVERITY), original, units: measuredUnits(explicitContent, task) }
})
