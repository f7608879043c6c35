import Type from '../../../../base/schema/type.ts'
import { freeObject, optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { EXAMPLE_MP4 } from '../../example-files.ts'
import { feature, fileInput } from '../../feature.ts'
import { base64Field, resourceUrlField } from '../../fields/produced-file.ts'

const LARGEST_SEED = 2_147_483_646

export default feature({
  feature: 'video',
  subfeature: 'generation_async',
  fullname: 'Video: Generation',
  description: 'Generates a video from a description and an optional image.',
  mode: 'async',
  input: closedObject({
    text: Type.String({ description: 'Description of the video.' }),
    file: optional(fileInput('An image.'), 'The first image of the video.'),
    duration: optional(Type.Integer({ minimum: 1 }), 'Length in seconds.', { default: 6 }),
    dimension: optional(Type.String(), 'Width and height in pixels, as in `1280x720`.', { default: '1280x720' }),
    seed: optional(
      Type.Integer({ minimum: 0, maximum: LARGEST_SEED }),
      'The same number gives a similar video again. Omit it for a new one each time.',
    ),
  }),
  output: closedObject({
    video: base64Field('The video; may be empty if there is only the link.'),
    video_resource_url: resourceUrlField(),
    usage: optional(freeObject(), 'Usage that the provider reports.'),
  }),
  example: {
    input: { text: 'Waves roll in at dusk', duration: 6, dimension: '1280x720' },
    output: { video: EXAMPLE_MP4, video_resource_url: 'https://gateway.example/files/waves.mp4' },
  },
  unit: 'second',
})
