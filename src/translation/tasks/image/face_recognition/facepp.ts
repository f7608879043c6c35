import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { formPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { FACEPP_OWN, FACEPP_PROOF, faceppImage } from '../../vendors/facepp.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import faceRecognition from './feature.ts'

// https://console.faceplusplus.com/documents/5681455. Face++ searches for the largest face of the image; an image without a
// face gives no results. `collections/facepp.ts` creates and fills the collection.

const MAX_RESULTS = 5

const Match = Type.Object({ confidence: Type.Number({ minimum: 0, maximum: 100 }), face_token: Type.String() })
const readReply = replyReader(Type.Object({ results: Type.Optional(Type.Array(Match)) }))

export default adapter(faceRecognition, async (task, tools) => {
  const own = { ...FACEPP_OWN, outer_id: task.input.collection_id, faceset_token: undefined }
  const fields = { return_result_count: MAX_RESULTS, ...task.params, ...own }
  const payload = await formPayload(fields, [faceppImage(task.files.file!)])
  const original = await askForJson(tools, { path: '/search', payload, proof: FACEPP_PROOF }, readReply)
  const found = (original.results ?? []).toSorted((one, other) => other.confidence - one.confidence)
  const items = found.map(({ confidence, face_token }) => ({
    confidence: score(confidence / 100),
    face_id: face_token,
  }))
  return { output: { items }, original, units: measuredUnits(faceRecognition, task) }
})
