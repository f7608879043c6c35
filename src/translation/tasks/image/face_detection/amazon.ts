import Type, { type Static } from '../../../../base/schema/type.ts'
import { withBlanks } from '../../fields/blanks.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { extentOf } from '../../results/box-of.ts'
import { rekognitionImage } from '../../vendors/amazon/rekognition.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { AmazonBox, amazonBox } from '../../vendors/amazon/textract.ts'
import { Face } from '../../fields/face.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { likelihoodOf } from '../../fields/likelihood.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import faceDetection from './feature.ts'

// https://docs.aws.amazon.com/rekognition/latest/APIReference/API_DetectFaces.html

const LANDMARKS: Readonly<Record<string, string>> = {
  eyeLeft: 'left_eye',
  eyeRight: 'right_eye',
  mouthLeft: 'mouth_left',
  mouthRight: 'mouth_right',
  nose: 'nose_tip',
  leftEyeBrowLeft: 'left_eyebrow_left',
  leftEyeBrowRight: 'left_eyebrow_right',
  leftEyeBrowUp: 'left_eyebrow_top',
  rightEyeBrowLeft: 'right_eyebrow_left',
  rightEyeBrowRight: 'right_eyebrow_right',
  rightEyeBrowUp: 'right_eyebrow_top',
  leftEyeLeft: 'left_eye_left',
  leftEyeRight: 'left_eye_right',
  leftEyeUp: 'left_eye_top',
  leftEyeDown: 'left_eye_bottom',
  rightEyeLeft: 'right_eye_left',
  rightEyeRight: 'right_eye_right',
  rightEyeUp: 'right_eye_top',
  rightEyeDown: 'right_eye_bottom',
  noseLeft: 'nose_left_alar_out_tip',
  noseRight: 'nose_right_alar_out_tip',
  mouthUp: 'mouth_top',
  mouthDown: 'mouth_bottom',
  leftPupil: 'left_pupil',
  rightPupil: 'right_pupil',
  upperJawlineLeft: 'upper_jawline_left',
  midJawlineLeft: 'mid_jawline_left',
  chinBottom: 'chin_gnathion',
  midJawlineRight: 'mid_jawline_right',
  upperJawlineRight: 'upper_jawline_right',
}

const EMOTIONS: Readonly<Record<string, string>> = {
  HAPPY: 'joy',
  SAD: 'sorrow',
  ANGRY: 'anger',
  SURPRISED: 'surprise',
  DISGUSTED: 'disgust',
  FEAR: 'fear',
  CONFUSED: 'confusion',
  CALM: 'calm',
  UNKNOWN: 'unknown',
}

const Percent = Type.Number()
const Flag = Type.Optional(Type.Object({ Value: Type.Boolean(), Confidence: Percent }))
const Detail = Type.Object({
  BoundingBox: AmazonBox,
  Confidence: Percent,
  AgeRange: Type.Optional(Type.Object({ Low: Type.Integer(), High: Type.Integer() })),
  Gender: Type.Optional(Type.Object({ Value: Type.String() })),
  Emotions: Type.Optional(Type.Array(Type.Object({ Type: Type.String(), Confidence: Percent }))),
  Landmarks: Type.Optional(Type.Array(Type.Object({ Type: Type.String(), X: Percent, Y: Percent }))),
  Pose: Type.Optional(Type.Object({ Roll: Percent, Yaw: Percent, Pitch: Percent })),
  Quality: Type.Optional(Type.Object({ Brightness: Percent, Sharpness: Percent })),
  Smile: Flag,
  Eyeglasses: Flag,
  Sunglasses: Flag,
  Beard: Flag,
  Mustache: Flag,
  EyesOpen: Flag,
  MouthOpen: Flag,
})
const readReply = replyReader(Type.Object({ FaceDetails: Type.Array(Detail) }))

type Detail = Static<typeof Detail>

export default adapter(faceDetection, async (task, tools) => {
  const Image = await rekognitionImage(task.files.file!)
  const fields = { ...task.params, Image, Attributes: ['ALL'] }
  const original = await askAmazon(tools, 'rekognition.DetectFaces', fields, readReply)
  const items = likelyDetections(original.FaceDetails.map(toFace), ({ confidence }) => confidence)
  return { output: { items }, original, units: measuredUnits(faceDetection, task) }
})

function toFace(detail: Detail) {
  const { AgeRange, Pose, Quality } = detail
  return withBlanks(Face, {
    confidence: score(detail.Confidence / 100),
    landmarks: landmarksOf(detail),
    emotions: emotionsOf(detail),
    poses: Pose ? { pitch: Pose.Pitch, roll: Pose.Roll, yaw: Pose.Yaw } : {},
    age: AgeRange ? (AgeRange.Low + AgeRange.High) / 2 : null,
    gender: detail.Gender?.Value ?? null,
    bounding_box: extentOf(amazonBox(detail.BoundingBox)),
    facial_hair: { beard: likely(detail.Beard), moustache: likely(detail.Mustache) },
    quality: Quality ? { brightness: score(Quality.Brightness / 100), sharpness: score(Quality.Sharpness / 100) } : {},
    accessories: { eyeglasses: likely(detail.Eyeglasses), sunglasses: likely(detail.Sunglasses) },
    features: {
      eyes_open: likely(detail.EyesOpen),
      mouth_open: likely(detail.MouthOpen),
      smile: likely(detail.Smile),
    },
  })
}

function landmarksOf({ Landmarks = [] }: Detail): Record<string, number[]> {
  const points = Landmarks.map(({ Type: name, X, Y }) => [LANDMARKS[name], [score(X), score(Y)]] as const)
  return Object.fromEntries(points.filter(([name]) => name !== undefined))
}

function emotionsOf({ Emotions = [] }: Detail): Record<string, number> {
  const felt = Emotions.map(({ Type: name, Confidence }) => [EMOTIONS[name], likelihoodOf(Confidence / 100)] as const)
  return Object.fromEntries(felt.filter(([name]) => name !== undefined))
}

/** Amazon answers yes or no, with a confidence. */
function likely(flag: Static<typeof Flag> | undefined): number | null {
  if (!flag) return null
  return score(flag.Value ? flag.Confidence / 100 : 1 - flag.Confidence / 100)
}
