import Type from '../../../../base/schema/type.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { contentFinding } from '../../results/content-finding.ts'
import { rekognitionImage } from '../../vendors/amazon/rekognition.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { worstOf } from '../../fields/likelihood.ts'
import { measuredUnits } from '../../measured-units.ts'
import explicitContent from './feature.ts'

// https://docs.aws.amazon.com/rekognition/latest/APIReference/API_DetectModerationLabels.html

const Label = Type.Object({ Name: Type.String(), Confidence: Type.Number() })
const readReply = replyReader(Type.Object({ ModerationLabels: Type.Array(Label) }))

export default adapter(explicitContent, async (task, tools) => {
  const fields = { ...task.params, Image: await rekognitionImage(task.files.file!) }
  const original = await askAmazon(tools, 'rekognition.DetectModerationLabels', fields, readReply)
  const items = original.ModerationLabels.map(({ Name, Confidence }) => contentFinding(Name, Confidence / 100))
  return { output: { ...worstOf(items), items }, original, units: measuredUnits(explicitContent, task) }
})
