import Type, { type Static } from '../../../../base/schema/type.ts'
import { withBlanks } from '../../fields/blanks.ts'
import { boxOf, extentOf } from '../../results/box-of.ts'
import { googleLikelihood } from '../../vendors/google/likelihood.ts'
import { Poly, imageAnnotation } from '../../vendors/google/vision.ts'
import { pixelSize, type Size } from '../../inputs/pixel-size.ts'
import { Face } from '../../fields/face.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import faceDetection from './feature.ts'

// Positions are in pixels; if the size of the image is unknown, they are left out.

const OTHER_NAMES: Readonly<Record<string, string>> = {
  left_of_left_eyebrow: 'left_eyebrow_left',
  right_of_left_eyebrow: 'left_eyebrow_right',
  left_eyebrow_upper_midpoint: 'left_eyebrow_top',
  left_of_right_eyebrow: 'right_eyebrow_left',
  right_of_right_eyebrow: 'right_eyebrow_right',
  right_eyebrow_upper_midpoint: 'right_eyebrow_top',
  left_eye_top_boundary: 'left_eye_top',
  left_eye_right_corner: 'left_eye_right',
  left_eye_bottom_boundary: 'left_eye_bottom',
  left_eye_left_corner: 'left_eye_left',
  right_eye_top_boundary: 'right_eye_top',
  right_eye_right_corner: 'right_eye_right',
  right_eye_bottom_boundary: 'right_eye_bottom',
  right_eye_left_corner: 'right_eye_left',
  left_eye_pupil: 'left_pupil',
  right_eye_pupil: 'right_pupil',
  lower_lip: 'under_lip',
}

const Word = Type.Optional(Type.String())
const Degrees = Type.Optional(Type.Number())
const Position = Type.Object({ x: Type.Optional(Type.Number()), y: Type.Optional(Type.Number()) })
const Found = Type.Object({
  boundingPoly: Type.Optional(Poly),
  landmarks: Type.Optional(Type.Array(Type.Object({ type: Word, position: Type.Optional(Position) }))),
  rollAngle: Degrees,
  panAngle: Degrees,
  tiltAngle: Degrees,
  detectionConfidence: Type.Optional(Type.Number()),
  joyLikelihood: Word,
  sorrowLikelihood: Word,
  angerLikelihood: Word,
  surpriseLikelihood: Word,
  underExposedLikelihood: Word,
  blurredLikelihood: Word,
  headwearLikelihood: Word,
})
type Found = Static<typeof Found>

const find = imageAnnotation('FACE_DETECTION', Type.Object({ faceAnnotations: Type.Optional(Type.Array(Found)) }))

export default adapter(faceDetection, async (task, tools) => {
  const file = task.files.file!
  const { original, found } = await find(tools, file, {}, task.params)
  const size = pixelSize(await file.bytes())
  const faces = likelyDetections(found.faceAnnotations ?? [], ({ detectionConfidence = 0 }) => detectionConfidence)
  const items = faces.map((face) => toFace(face, size))
  return { output: { items }, original, units: measuredUnits(faceDetection, task) }
})

function toFace(face: Found, size: Size | null) {
  const { vertices = [] } = face.boundingPoly ?? {}
  const box = size && boxOf(vertices, size.width, size.height)
  // Google omits every number that is zero.
  const { tiltAngle: pitch = 0, rollAngle: roll = 0, panAngle: yaw = 0 } = face
  return withBlanks(Face, {
    confidence: score(face.detectionConfidence ?? 0),
    landmarks: size ? landmarksOf(face, size) : {},
    emotions: {
      joy: googleLikelihood(face.joyLikelihood),
      sorrow: googleLikelihood(face.sorrowLikelihood),
      anger: googleLikelihood(face.angerLikelihood),
      surprise: googleLikelihood(face.surpriseLikelihood),
    },
    poses: { pitch, roll, yaw },
    bounding_box: box ? extentOf(box) : {},
    quality: { exposure: shareOf(face.underExposedLikelihood), blur: shareOf(face.blurredLikelihood) },
    accessories: { headwear: shareOf(face.headwearLikelihood) },
  })
}

function landmarksOf({ landmarks = [] }: Found, { width, height }: Size): Record<string, number[]> {
  const landmarkSchemas = Face.properties.landmarks.properties
  const points = landmarks.map(({ type = '', position: { x = 0, y = 0 } = {} }) => {
    const name = type.toLowerCase()
    return [OTHER_NAMES[name] ?? name, [score(x / width), score(y / height)]] as [string, number[]]
  })
  return Object.fromEntries(points.filter(([name]) => Object.hasOwn(landmarkSchemas, name)))
}

/** Converts a likelihood word to a number from 0 to 1. */
function shareOf(word: string | undefined): number | null {
  const likelihood = googleLikelihood(word)
  return likelihood === null ? null : likelihood / 5
}
