import Type from '../../../base/schema/type.ts'
import { Extent } from './bounding-box.ts'
import { closedObject } from '../closed-object.ts'
import { likelihoodField } from './likelihood.ts'
import { nullableFields } from '../nullable-fields.ts'
import { scoreField } from './score.ts'

const LANDMARKS = [
  ...['left_eye', 'left_eye_top', 'left_eye_right', 'left_eye_bottom', 'left_eye_left'],
  ...['right_eye', 'right_eye_top', 'right_eye_right', 'right_eye_bottom', 'right_eye_left'],
  ...['left_eyebrow_left', 'left_eyebrow_right', 'left_eyebrow_top', 'right_eyebrow_left', 'right_eyebrow_right'],
  ...['left_pupil', 'right_pupil', 'nose_tip', 'nose_bottom_right', 'nose_bottom_left', 'mouth_left', 'mouth_right'],
  ...['right_eyebrow_top', 'midpoint_between_eyes', 'nose_bottom_center', 'nose_left_alar_out_tip'],
  ...['nose_left_alar_top', 'nose_right_alar_out_tip', 'nose_right_alar_top', 'nose_root_left', 'nose_root_right'],
  ...['upper_lip', 'under_lip', 'under_lip_bottom', 'under_lip_top', 'upper_lip_bottom', 'upper_lip_top'],
  ...['mouth_center', 'mouth_top', 'mouth_bottom', 'left_ear_tragion', 'right_ear_tragion', 'forehead_glabella'],
  ...['chin_gnathion', 'chin_left_gonion', 'chin_right_gonion', 'upper_jawline_left', 'mid_jawline_left'],
  ...['mid_jawline_right', 'upper_jawline_right', 'left_cheek_center', 'right_cheek_center'],
] as const

type Landmark = (typeof LANDMARKS)[number]

const Landmarks = closedObject(
  Object.fromEntries(LANDMARKS.map((name) => [name, point(name)])) as Record<Landmark, ReturnType<typeof point>>,
  'Points of the face.',
)

const Emotions = closedObject(
  nullableFields(likelihoodField('From 0 to 5.'), {
    joy: 'Joy, from 0 (none) to 5 (much).',
    sorrow: 'Sorrow, from 0 to 5.',
    anger: 'Anger, from 0 to 5.',
    surprise: 'Surprise, from 0 to 5.',
    disgust: 'Disgust, from 0 to 5.',
    fear: 'Fear, from 0 to 5.',
    confusion: 'Confusion, from 0 to 5.',
    calm: 'Calm, from 0 to 5.',
    unknown: 'An attribute without a name, from 0 to 5.',
    neutral: 'No emotion, from 0 to 5.',
    contempt: 'Contempt, from 0 to 5.',
  }),
  'What the face expresses.',
)

const Poses = closedObject(
  nullableFields(Type.Number(), {
    pitch: 'Nodding, in degrees.',
    roll: 'Tilting to a side, in degrees.',
    yaw: 'Turning to a side, in degrees.',
  }),
  'How the head is held.',
)

const HairColor = closedObject({
  color: Type.String({ description: 'The colour.' }),
  confidence: scoreField('Confidence of the provider, from 0 to 1.'),
})

const Hair = closedObject(
  {
    hair_color: Type.Array(HairColor, { description: 'Possible colours.' }),
    ...nullableFields(Type.Number(), { bald: 'Likelihood that there is none, from 0 to 1.' }),
    ...nullableFields(Type.Boolean(), { invisible: 'Whether it is covered.' }),
  },
  'The hair.',
)

/** A face in an image and its attributes. */
export const Face = closedObject({
  confidence: scoreField('Confidence of the provider that this is a face, from 0 to 1.'),
  landmarks: Landmarks,
  emotions: Emotions,
  poses: Poses,
  ...nullableFields(Type.Number(), { age: 'Age in years, guessed.' }),
  ...nullableFields(Type.String(), { gender: 'Gender, guessed.' }),
  bounding_box: Extent,
  hair: Hair,
  facial_hair: scores('Facial hair.', {
    moustache: 'Moustache, from 0 to 1.',
    beard: 'Beard, from 0 to 1.',
    sideburns: 'Sideburns, from 0 to 1.',
  }),
  quality: scores('Visibility of the face.', {
    noise: 'Noise.',
    exposure: 'Exposure.',
    blur: 'Blur.',
    brightness: 'Brightness.',
    sharpness: 'Sharpness.',
  }),
  makeup: flags('Make-up.', { eye_make: 'Whether the eyes are made up.', lip_make: 'Whether the lips are made up.' }),
  accessories: scores('What is worn.', {
    sunglasses: 'Sunglasses, from 0 to 1.',
    reading_glasses: 'Reading glasses, from 0 to 1.',
    swimming_goggles: 'Swimming goggles, from 0 to 1.',
    face_mask: 'Mask, from 0 to 1.',
    eyeglasses: 'Glasses of any kind, from 0 to 1.',
    headwear: 'Headwear, from 0 to 1.',
  }),
  occlusions: flags('What is hidden.', {
    eye_occluded: 'Whether an eye is hidden.',
    forehead_occluded: 'Whether the forehead is hidden.',
    mouth_occluded: 'Whether the mouth is hidden.',
  }),
  features: scores('What the face does.', {
    eyes_open: 'Eyes open, from 0 to 1.',
    smile: 'Smile, from 0 to 1.',
    mouth_open: 'Mouth open, from 0 to 1.',
  }),
})

function point(name: string) {
  const landmark = name.replaceAll('_', ' ')
  return Type.Array(Type.Number(), { description: `Where the ${landmark} is, as x and y; empty when not known.` })
}

function scores<Name extends string>(description: string, fields: Record<Name, string>) {
  return closedObject(nullableFields(Type.Number(), fields), description)
}

function flags<Name extends string>(description: string, fields: Record<Name, string>) {
  return closedObject(nullableFields(Type.Boolean(), fields), description)
}
