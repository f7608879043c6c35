import Type, { type Static } from '../../../../base/schema/type.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { extentOf, NO_EXTENT } from '../../results/box-of.ts'
import { rekognitionImage } from '../../vendors/amazon/rekognition.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { AmazonBox, amazonBox } from '../../vendors/amazon/textract.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import objectDetection from './feature.ts'

// https://docs.aws.amazon.com/rekognition/latest/APIReference/API_DetectLabels.html. Some labels have positions.

const LEAST_CONFIDENCE = 70

const Instance = Type.Object({ BoundingBox: Type.Optional(AmazonBox), Confidence: Type.Optional(Type.Number()) })
const Label = Type.Object({
  Name: Type.String(),
  Confidence: Type.Number(),
  Instances: Type.Optional(Type.Array(Instance)),
})
const readReply = replyReader(Type.Object({ Labels: Type.Array(Label) }))

export default adapter(objectDetection, async (task, tools) => {
  const Image = await rekognitionImage(task.files.file!)
  const fields = { MinConfidence: LEAST_CONFIDENCE, ...task.params, Image }
  const original = await askAmazon(tools, 'rekognition.DetectLabels', fields, readReply)
  const items = likelyDetections(original.Labels.flatMap(toThings), ({ confidence }) => confidence)
  return { output: { items }, original, units: measuredUnits(objectDetection, task) }
})

function toThings({ Name: label, Confidence, Instances = [] }: Static<typeof Label>) {
  if (Instances.length === 0) return [{ label, confidence: score(Confidence / 100), ...NO_EXTENT }]
  return Instances.map((one) => ({
    label,
    confidence: score((one.Confidence ?? Confidence) / 100),
    ...(one.BoundingBox ? extentOf(amazonBox(one.BoundingBox)) : NO_EXTENT),
  }))
}
