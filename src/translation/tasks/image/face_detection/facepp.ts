import Type, { type Static } from '../../../../base/schema/type.ts'
import { withBlanks } from '../../fields/blanks.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { extentOf, pixelBox } from '../../results/box-of.ts'
import { numberAt, textAt } from '../../results/loose-fields.ts'
import { formPayload } from '../../http/payload.ts'
import type { Size } from '../../inputs/pixel-size.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { Face } from '../../fields/face.ts'
import { adapter } from '../../feature.ts'
import { likelihoodOf } from '../../fields/likelihood.ts'
import { FACEPP_OWN, FACEPP_PROOF, FaceRectangle, faceppImage, sizeOf } from '../../vendors/facepp.ts'
import faceDetection from './feature.ts'

// https://console.faceplusplus.com/documents/5679127. It reports no confidence that a face is one.

const ATTRIBUTES = 'gender,age,smiling,headpose,emotion,blur,eyestatus'
const CERTAIN = 1

const Found = Type.Object({ ...FaceRectangle.properties, attributes: Type.Optional(Type.Unknown()) })
const readReply = replyReader(Type.Object({ faces: Type.Array(Found) }))

export default adapter(faceDetection, async (task, tools) => {
  const file = task.files.file!
  const fields = { return_attributes: ATTRIBUTES, ...task.params, ...FACEPP_OWN }
  const payload = await formPayload(fields, [faceppImage(file)])
  const original = await askForJson(tools, { path: '/detect', payload, proof: FACEPP_PROOF }, readReply)
  const size = await sizeOf(file)
  return { output: { items: original.faces.map((face) => toFace(face, size)) }, original, units: 1 }
})

function toFace(face: Static<typeof Found>, size: Size | null) {
  const { attributes } = face
  const box = pixelBox(face.face_rectangle, size)
  return withBlanks(Face, {
    confidence: CERTAIN,
    bounding_box: box ? extentOf(box) : {},
    age: numberAt(attributes, 'age', 'value'),
    gender: textAt(attributes, 'gender', 'value'),
    poses: {
      pitch: numberAt(attributes, 'headpose', 'pitch_angle'),
      roll: numberAt(attributes, 'headpose', 'roll_angle'),
      yaw: numberAt(attributes, 'headpose', 'yaw_angle'),
    },
    emotions: emotionsOf(attributes),
    features: { smile: fraction(numberAt(attributes, 'smile', 'value')) },
  })
}

function emotionsOf(attributes: unknown) {
  return {
    joy: felt(attributes, 'happiness'),
    sorrow: felt(attributes, 'sadness'),
    anger: felt(attributes, 'anger'),
    surprise: felt(attributes, 'surprise'),
    disgust: felt(attributes, 'disgust'),
    fear: felt(attributes, 'fear'),
    neutral: felt(attributes, 'neutral'),
  }
}

function felt(attributes: unknown, emotion: string): number | null {
  const percent = fraction(numberAt(attributes, 'emotion', emotion))
  return percent === null ? null : likelihoodOf(percent)
}

function fraction(percent: number | null): number | null {
  return percent === null ? null : percent / 100
}
