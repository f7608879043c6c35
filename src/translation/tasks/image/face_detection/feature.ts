import Type from '../../../../base/schema/type.ts'
import { withBlanks } from '../../fields/blanks.ts'
import { closedObject } from '../../closed-object.ts'
import { Face } from '../../fields/face.ts'
import { feature, fileInput } from '../../feature.ts'

export default feature({
  feature: 'image',
  subfeature: 'face_detection',
  fullname: 'Image: Face detection',
  description: 'Finds the faces in an image and describes them.',
  mode: 'sync',
  input: closedObject({ file: fileInput('The image.') }),
  output: closedObject({ items: Type.Array(Face, { description: 'The faces.' }) }),
  example: {
    input: { file: 'https://example.com/portrait.jpg' },
    output: {
      items: [
        withBlanks(Face, {
          confidence: 0.9998,
          landmarks: { left_eye: [0.44, 0.38], right_eye: [0.57, 0.37], nose_tip: [0.51, 0.47] },
          emotions: { joy: 5, sorrow: 0, anger: 0, surprise: 1, calm: 1 },
          poses: { pitch: -3.2, roll: 1.5, yaw: 8.4 },
          age: 34,
          gender: 'Female',
          bounding_box: { x_min: 0.36, x_max: 0.65, y_min: 0.2, y_max: 0.66 },
          hair: { hair_color: [{ color: 'brown', confidence: 0.93 }], bald: 0.02, invisible: false },
          quality: { brightness: 0.71, sharpness: 0.88 },
          accessories: { eyeglasses: 0.97, sunglasses: 0.01 },
          occlusions: { eye_occluded: false, forehead_occluded: false, mouth_occluded: false },
          features: { eyes_open: 0.99, smile: 0.95, mouth_open: 0.4 },
        }),
      ],
    },
  },
  unit: 'file',
})
