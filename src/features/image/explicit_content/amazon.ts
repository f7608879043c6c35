import Type from '../../../contract/type.ts'
import { askAmazon } from '../../calls/amazon.ts'
import { contentFinding } from '../../calls/content-finding.ts'
import { rekognitionImage } from '../../calls/rekognition.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { worstOf } from '../../likelihood.ts'
import { measuredUnits } from '../../measured-units.ts'
import explicitContent from './feature.ts'

// https://docs.aws.amazon.com/rekognition/latest/APIReference/API_DetectModerationLabels.html

const Label = Type.Object({ Name: Type.String(), Confidence: Type.Number() })
const readReply = replyReader(Type.Object({ ModerationLabels: Type.Array(Label) }))

export default adapter(explicitContent, async (task, tools) => {
  const fields = { ...task.params, Image: await rekognitionImage(task.files.file!) }
  const original = await askAmazon(tools, 'rekognition', 'DetectModerationLabels', fields, readReply)
  const items = original.ModerationLabels.map(({ Name, Confidence }) => contentFinding(Name, Confidence / 100))
  return { output: { ...worstOf(items), items }, original, units: measuredUnits(explicitContent, task) }
})
