import Type from '../../../../base/schema/type.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { rekognitionImage } from '../../vendors/amazon/rekognition.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import faceRecognition from './feature.ts'

// https://docs.aws.amazon.com/rekognition/latest/APIReference/API_SearchFacesByImage.html. A collection has the same name at
// Amazon as here; `collections/amazon.ts` creates and fills it.

const Match = Type.Object({ Similarity: Type.Number(), Face: Type.Object({ FaceId: Type.String() }) })
const readReply = replyReader(Type.Object({ FaceMatches: Type.Array(Match) }))

export default adapter(faceRecognition, async (task, tools) => {
  const Image = await rekognitionImage(task.files.file!)
  const fields = { ...task.params, CollectionId: task.input.collection_id, Image }
  const original = await askAmazon(tools, 'rekognition.SearchFacesByImage', fields, readReply)
  const found = original.FaceMatches.toSorted((one, other) => other.Similarity - one.Similarity)
  const items = found.map(({ Similarity, Face }) => ({ confidence: score(Similarity / 100), face_id: Face.FaceId }))
  return { output: { items }, original, units: measuredUnits(faceRecognition, task) }
})
