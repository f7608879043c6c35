import Type, { type Static } from '../../../../base/schema/type.ts'
import { withBlanks } from '../../fields/blanks.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { extentOf, pixelBox, Rectangle } from '../../results/box-of.ts'
import { listAt, numberAt, textAt, valueAt } from '../../results/loose-fields.ts'
import { queryOf } from '../../http/payload.ts'
import { pixelSize, type Size } from '../../inputs/pixel-size.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { Face } from '../../fields/face.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import faceDetection from './feature.ts'

// https://learn.microsoft.com/rest/api/face/face-detection-operations/detect. It reports no identity, age, emotion or
// confidence. Positions are pixels.

const ACCEPTED = { types: ['image/jpeg', 'image/png', 'image/gif', 'image/bmp'], megabytes: 6 }
const ATTRIBUTES = 'headPose,glasses,occlusion,accessories,blur,exposure,noise'
const CERTAIN = 1

const LANDMARKS: Readonly<Record<string, string>> = {
  left_pupil: 'pupilLeft',
  right_pupil: 'pupilRight',
  nose_tip: 'noseTip',
  mouth_left: 'mouthLeft',
  mouth_right: 'mouthRight',
  left_eyebrow_left: 'eyebrowLeftOuter',
  left_eyebrow_right: 'eyebrowLeftInner',
  right_eyebrow_left: 'eyebrowRightInner',
  right_eyebrow_right: 'eyebrowRightOuter',
  left_eye_left: 'eyeLeftOuter',
  left_eye_top: 'eyeLeftTop',
  left_eye_bottom: 'eyeLeftBottom',
  left_eye_right: 'eyeLeftInner',
  right_eye_left: 'eyeRightInner',
  right_eye_top: 'eyeRightTop',
  right_eye_bottom: 'eyeRightBottom',
  right_eye_right: 'eyeRightOuter',
  nose_root_left: 'noseRootLeft',
  nose_root_right: 'noseRootRight',
  nose_left_alar_top: 'noseLeftAlarTop',
  nose_right_alar_top: 'noseRightAlarTop',
  nose_left_alar_out_tip: 'noseLeftAlarOutTip',
  nose_right_alar_out_tip: 'noseRightAlarOutTip',
  upper_lip_top: 'upperLipTop',
  upper_lip_bottom: 'upperLipBottom',
  under_lip_top: 'underLipTop',
  under_lip_bottom: 'underLipBottom',
}

const Found = Type.Object({
  faceRectangle: Rectangle,
  faceLandmarks: Type.Optional(Type.Unknown()),
  faceAttributes: Type.Optional(Type.Unknown()),
})
const readReply = replyReader(Type.Array(Found))

export default adapter(faceDetection, async (task, tools) => {
  const file = acceptFile(task.files.file!, ACCEPTED)
  const options = { detectionModel: 'detection_01', returnFaceLandmarks: true, returnFaceAttributes: ATTRIBUTES }
  const path = `/face/v1.0/detect${queryOf({ ...options, ...task.params, returnFaceId: false })}`
  const bytes = await file.bytes()
  const payload = { type: 'application/octet-stream', body: bytes }
  const original = await askForJson(tools, { path, payload }, readReply)
  const size = pixelSize(bytes)
  const items = original.map((face) => toFace(face, size))
  return { output: { items }, original, units: measuredUnits(faceDetection, task) }
})

function toFace({ faceRectangle, faceLandmarks, faceAttributes: about }: Static<typeof Found>, size: Size | null) {
  const box = pixelBox(faceRectangle, size)
  return withBlanks(Face, {
    confidence: CERTAIN,
    landmarks: size ? pointsOf(faceLandmarks, size) : {},
    bounding_box: box ? extentOf(box) : {},
    poses: {
      pitch: numberAt(about, 'headPose', 'pitch'),
      roll: numberAt(about, 'headPose', 'roll'),
      yaw: numberAt(about, 'headPose', 'yaw'),
    },
    quality: {
      blur: numberAt(about, 'blur', 'value'),
      exposure: numberAt(about, 'exposure', 'value'),
      noise: numberAt(about, 'noise', 'value'),
    },
    accessories: wornIn(about),
    occlusions: {
      eye_occluded: flagAt(about, 'eyeOccluded'),
      forehead_occluded: flagAt(about, 'foreheadOccluded'),
      mouth_occluded: flagAt(about, 'mouthOccluded'),
    },
  })
}

function pointsOf(landmarks: unknown, { width, height }: Size): Record<string, number[]> {
  const points = Object.entries(LANDMARKS).flatMap(([name, theirs]): [string, number[]][] => {
    const [x, y] = [numberAt(landmarks, theirs, 'x'), numberAt(landmarks, theirs, 'y')]
    return x === null || y === null ? [] : [[name, [score(x / width), score(y / height)]]]
  })
  return Object.fromEntries(points)
}

/** Glasses are one of four words; other accessories come in a list with a confidence. */
function wornIn(about: unknown) {
  const glasses = textAt(about, 'glasses')
  const sureOf = (type: string) => {
    const found = listAt(about, 'accessories').find((one) => textAt(one, 'type') === type)
    return found === undefined ? null : numberAt(found, 'confidence')
  }
  const isWorn = (word: string) => (glasses === null ? null : Number(glasses === word))
  return {
    sunglasses: isWorn('Sunglasses'),
    reading_glasses: isWorn('ReadingGlasses'),
    swimming_goggles: isWorn('SwimmingGoggles'),
    face_mask: sureOf('mask'),
    eyeglasses: sureOf('glasses'),
    headwear: sureOf('headwear'),
  }
}

function flagAt(about: unknown, name: string): boolean | null {
  const flag = valueAt(about, 'occlusion', name)
  return typeof flag === 'boolean' ? flag : null
}
