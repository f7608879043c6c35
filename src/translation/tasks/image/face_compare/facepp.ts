import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { NOWHERE, pixelBox } from '../../results/box-of.ts'
import { formPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { FACEPP_OWN, FACEPP_PROOF, FaceRectangle, faceppImage, sizeOf } from '../../vendors/facepp.ts'
import { score } from '../../fields/score.ts'
import faceCompare from './feature.ts'

// https://console.faceplusplus.com/documents/5679308. Only the largest faces of both images are compared; they come first.

const readReply = replyReader(
  Type.Object({
    confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
    faces2: Type.Array(FaceRectangle),
  }),
)

export default adapter(faceCompare, async (task, tools) => {
  const { file1, file2 } = task.files
  const files = [faceppImage(file1!, 'image_file1'), faceppImage(file2!, 'image_file2')]
  const payload = await formPayload({ ...task.params, ...FACEPP_OWN }, files)
  const original = await askForJson(tools, { path: '/compare', payload, proof: FACEPP_PROOF }, readReply)
  const [face] = original.faces2
  if (!face || original.confidence === undefined) return { output: { items: [] }, original, units: 1 }
  const bounding_box = pixelBox(face.face_rectangle, await sizeOf(file2!)) ?? NOWHERE
  return { output: { items: [{ confidence: score(original.confidence / 100), bounding_box }] }, original, units: 1 }
})
