import Type from '../../../contract/type.ts'
import { askForJson } from '../../calls/ask-provider.ts'
import { formPayload } from '../../calls/payload.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { FACEPP_OWN, FACEPP_PROOF, faceppPicture } from '../../makers/facepp.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../score.ts'
import faceRecognition from './feature.ts'

// https://console.faceplusplus.com/documents/5681455. It looks for the largest face of the picture; without a face in it there
// are no results. `collections/facepp.ts` makes and fills what it looks in.

const MOST_RESULTS = 5

const Match = Type.Object({ confidence: Type.Number({ minimum: 0, maximum: 100 }), face_token: Type.String() })
const readReply = replyReader(Type.Object({ results: Type.Optional(Type.Array(Match)) }))

export default adapter(faceRecognition, async (task, tools) => {
  const own = { ...FACEPP_OWN, outer_id: task.input.collection_id, faceset_token: undefined }
  const fields = { return_result_count: MOST_RESULTS, ...task.params, ...own }
  const payload = await formPayload(fields, [faceppPicture(task.files.file!)])
  const original = await askForJson(tools, { path: '/search', payload, proof: FACEPP_PROOF }, readReply)
  const found = (original.results ?? []).toSorted((one, other) => other.confidence - one.confidence)
  const items = found.map(({ confidence, face_token }) => ({
    confidence: score(confidence / 100),
    face_id: face_token,
  }))
  return { output: { items }, original, units: measuredUnits(faceRecognition, task) }
})
