import Type from '../../../contract/type.ts'
import { acceptFile } from '../../calls/accept-file.ts'
import { askForJson } from '../../calls/ask-provider.ts'
import { contentFinding } from '../../calls/content-finding.ts'
import { base64Of } from '../../calls/inline-file.ts'
import { jsonPayload } from '../../calls/payload.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { worstOf } from '../../likelihood.ts'
import { measuredUnits } from '../../measured-units.ts'
import explicitContent from './feature.ts'

// https://learn.microsoft.com/rest/api/contentsafety/image-operations/analyze-image. Severities are 0, 2, 4 and 6.

const PATH = '/contentsafety/image:analyze?api-version=2024-09-01'
const MOST_SEVERE = 6
const ACCEPTED = {
  types: ['image/jpeg', 'image/png', 'image/gif', 'image/bmp', 'image/tiff', 'image/webp'],
  megabytes: 4,
}

const readReply = replyReader(
  Type.Object({ categoriesAnalysis: Type.Array(Type.Object({ category: Type.String(), severity: Type.Integer() })) }),
)

export default adapter(explicitContent, async (task, tools) => {
  const image = { content: await base64Of(acceptFile(task.files.file!, ACCEPTED)) }
  const payload = jsonPayload({ ...task.params, image, outputType: 'FourSeverityLevels' })
  const original = await askForJson(tools, { path: PATH, payload }, readReply)
  const items = original.categoriesAnalysis.map((one) => contentFinding(one.category, one.severity / MOST_SEVERE))
  return { output: { ...worstOf(items), items }, original, units: measuredUnits(explicitContent, task) }
})
