import Type from '../../../../base/schema/type.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { NOWHERE } from '../../results/box-of.ts'
import { rekognitionImage } from '../../vendors/amazon/rekognition.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { AmazonBox, amazonBox } from '../../vendors/amazon/textract.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import faceCompare from './feature.ts'

// https://docs.aws.amazon.com/rekognition/latest/APIReference/API_CompareFaces.html

const Match = Type.Object({
  Similarity: Type.Number(),
  Face: Type.Object({ BoundingBox: Type.Optional(AmazonBox) }),
})
const readReply = replyReader(Type.Object({ FaceMatches: Type.Array(Match) }))

export default adapter(faceCompare, async (task, tools) => {
  const SourceImage = await rekognitionImage(task.files.file1!)
  const TargetImage = await rekognitionImage(task.files.file2!)
  const fields = { ...task.params, SourceImage, TargetImage }
  const original = await askAmazon(tools, 'rekognition.CompareFaces', fields, readReply)
  const items = original.FaceMatches.map(({ Similarity, Face }) => ({
    confidence: score(Similarity / 100),
    bounding_box: Face.BoundingBox ? amazonBox(Face.BoundingBox) : NOWHERE,
  }))
  return { output: { items }, original, units: measuredUnits(faceCompare, task) }
})
